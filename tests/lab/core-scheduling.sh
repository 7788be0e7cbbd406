# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: pCPUs that Xen schedules as one: the timer samples, and says why
# boot: sockets threads
# loads: yes
# long: yes

# "Scheduling granularity: socket, 2 CPUs per sched-resource"
together=$(xl dmesg | sed -n 's/.*Scheduling granularity: [a-z]*, \([0-9]*\) CPU.*/\1/p')
at_least "pCPUs that Xen schedules as one (has the processor what this boot wants?)" \
    "${together:-0}" 2

must xenopctl --check
says 'scheduling +note .*sched-gran=(core|socket)'
try xenopctl --start --sampler=nmi
[ "$status" != 0 ] || fail "--sampler=nmi was not refused"
says 'NMIs would stall'

must xenopctl --start --frequency=997 --stacks=none --ring-size=1024
says 'timer is the sampler, since Xen schedules several pCPUs as one'
jobs=
for job in 1 2 3 4; do
    hypercall-loop 300 >/dev/null &
    jobs="$jobs $!"
done
more_samples 3000
# Under emulation, four busy pCPUs that wait for each other leave dom0 a tenth of
# a processor.
# shellcheck disable=SC2086
kill $jobs
stop_and_check
report_json /tmp/now --sort=pcpu
equal "the sampler" "$(text /tmp/status name)" timer
for pcpu in 0 1 2 3; do
    at_least "samples of pCPU $pcpu" "$(samples /tmp/now "pcpu == $pcpu")" 20
done
