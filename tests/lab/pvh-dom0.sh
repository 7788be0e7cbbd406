# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a PVH dom0 samples itself
# boot: pvh-dom0
# long: yes

equal "what dom0 is" "$(cat /sys/hypervisor/guest_type)" PVH
must xenopctl --check
must xenopctl --start --stacks=xen
hypercall-loop 60 >/dev/null &
more_samples 300
status_json /tmp/status
equal "the sampler" "$(text /tmp/status name)" nmi
stop_and_check
at_least "samples of dom0" "$(samples /tmp/report 'domain == 0')" 50
at_least "least room on Xen's stack when an NMI came, in bytes" \
    "$(number /tmp/status stack_room)" 1536
