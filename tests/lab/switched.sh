# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: the sample of a vCPU that left between the halves is in the pCPU's ring
# boot: main
# long: yes
# guests: pv1

must xenopctl --start --passive-domains=pv1 --frequency=997 --stacks=xen
# dom0's vCPUs sleep and wake all the time, so Xen switches.
(while :; do usleep 300; done) &
(while :; do usleep 300; done) &
enough() {
    status_json /tmp/status
    [ "$(number /tmp/status switched)" -ge 3 ]
}
wait_for 120 "3 samples whose vCPU had left before their second half" enough
stop_and_check
echo "switched: $(number /tmp/status switched)"
