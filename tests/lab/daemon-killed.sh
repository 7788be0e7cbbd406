# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: xenoprofd is killed again and again: --start goes on, and nothing is read twice
# boot: main
# usually: debian13
# guests: pv1
# limit: 600

nothing_waits() {
    xenopctl --status --json | grep -q '"waiting": {"samples": 0,'
}

must xenopctl --start --passive-domains=pv1 --frequency=250 --stacks=xen
kills=$(repeats 3 20) round=0
while [ $round -lt "$kills" ]; do
    round=$((round + 1))
    pid=$(daemon_pid)
    more_samples 40
    # What waits for names is lost with the daemon: the guest makes nothing new
    # until all of that is on disk.
    must xl pause pv1
    must xenopctl --dump
    wait_for 120 "no sample to wait for names" nothing_waits
    must xenopctl --dump
    kill -KILL "$pid"
    wait_for 60 "the end of process $pid" not test -d "/proc/$pid"
    # Xen goes on sampling into the rings.
    must xl unpause pv1
    more_samples 5
    must xenopctl --start --passive-domains=pv1 --frequency=250 --stacks=xen
done
more_samples 40
committed_before=$(door_number committed)
stop_and_check
equal "samples lost to the daemon" "$(number /tmp/status daemon)" 0
equal "samples read, and those that Xen wrote to rings" \
    "$(number /tmp/status read)" "$(door_number committed)"
at_least "samples that were written after the last kill" \
    "$(door_number committed)" "$committed_before"
equal "sessions" "$(ls $sessions | wc -l)" 1
