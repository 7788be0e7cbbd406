# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: four pCPUs: each has samples, one goes offline and comes back
# boot: four
# long: yes

of_pcpu() {
    must xenopctl --dump
    report_json /tmp/now --sort=pcpu
    samples /tmp/now "pcpu == $1"
}
more_of_pcpu2_than() {
    [ "$(of_pcpu 2)" -gt "$1" ]
}

must xenopctl --start --passive-domains=pv1 --stacks=xen
for job in 1 2 3 4; do
    hypercall-loop 300 >/dev/null &
done
more_samples 600
for pcpu in 0 1 2 3; do
    at_least "samples of pCPU $pcpu" "$(of_pcpu $pcpu)" 20
done
must xen-hptool cpu-offline 2
more_samples 100
then=$(of_pcpu 2)
must xen-hptool cpu-online 2
wait_for 90 "new samples of pCPU 2 after it came back" \
    more_of_pcpu2_than $((then + 20))
stop_and_check
echo "least room on Xen's stack: $(number /tmp/status stack_room) bytes"
equal "ticks missed for lack of room" "$(number /tmp/status cramped)" 0
