# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: pCPUs that Xen schedules as one are sampled by NMIs where Xen was built with us
# boot: sockets threads
# inside: yes

together=$(xl dmesg | sed -n 's/.*Scheduling granularity: [a-z]*, \([0-9]*\) CPU.*/\1/p')
at_least "pCPUs that Xen schedules as one (has the processor what this boot wants?)" \
    "${together:-0}" 2

must xenopctl --check
says 'scheduling +yes .*several pCPUs as one'
must xenopctl --start --sampler=nmi --frequency=97 --stacks=xen
jobs=
for job in 1 2 3 4; do
    hypercall-loop 300 >/dev/null &
    jobs="$jobs $!"
done
more_samples 1000
# shellcheck disable=SC2086
kill $jobs
stop_and_check
report_json /tmp/now --sort=pcpu
equal "the sampler" "$(text /tmp/status name)" nmi
for pcpu in 0 1 2 3; do
    at_least "samples of pCPU $pcpu" "$(samples /tmp/now "pcpu == $pcpu")" 20
done
