# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: each loss is counted while rings are small and the daemon stands still
# boot: main
# long: yes

must xenopctl --start --passive-domains=pv1,test64 --ring-size=4 --frequency=997
more_samples 200
kill -STOP "$(daemon_pid)"

# lost: N queue, N ring, N stopped
lost_in_rings() {
    [ "$(xenhypfs cat /xenoprof/status | awk '/^lost:/ { print $4 }')" -gt "$1" ]
}
# Then Xen has lowered the frequency, and few more are lost.
wait_for 60 "100 samples lost in full rings" lost_in_rings 100
kill -CONT "$(daemon_pid)"
more_samples 200
stop_and_check
at_least "samples lost in full rings" "$(number /tmp/status ring)" 100
equal "samples lost to the daemon" "$(number /tmp/status daemon)" 0
must xenopreport --table
says 'the ring was full'
