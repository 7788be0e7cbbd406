# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a PVH dom0 samples itself
# boot: pvh-dom0
# long: yes

dmesg | grep -q 'Xen PVH' || fail "dom0 is not a PVH one: $(dmesg | grep -i xen | head -n 3)"
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
