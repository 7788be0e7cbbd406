# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a pCPU may go offline and come back while it is sampled
# boot: plain
# usually: debian13

must xenopctl --start
hypercall-loop 60 >/dev/null &
hypercall-loop 60 >/dev/null &
more_samples 150
must xen-hptool cpu-offline 1
more_samples 100
status_json /tmp/status
check_status_later=$(number /tmp/status made)
must xen-hptool cpu-online 1
more_samples 100

# pCPU 1 gets its share again: after it came back it has new samples.
of_pcpu1() {
    must xenopctl --dump
    report_json /tmp/now --sort=pcpu
    samples /tmp/now 'pcpu == 1'
}
more_than() {
    [ "$(of_pcpu1)" -gt "$1" ]
}
then=$(of_pcpu1)
wait_for 60 "new samples of pCPU 1 after it came back" more_than $((then + 20))
stop_and_check
at_least "samples" "$(number /tmp/status made)" "$check_status_later"
