# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# What runs beside the lab's boots, which leave a third of two processors idle:
# fuzzers, and with --long the boot that counts instructions, whose clock is not
# the machine's.
# Low priority keeps them from delaying the boots' own clocks.

start_background() {
    background "$@" &
    background=$!
}

background() {
    local host
    renice -n 10 "$BASHPID" >/dev/null
    for host in "$@"; do
        count_instructions "$host"
    done
    run_fuzzers 1
}

# check_background HOST...: waits for it, and says how it went.
check_background() {
    local host
    say "behind the lab: instructions, fuzzers for $(fuzz_seconds) seconds each"
    wait "$background"
    for host in "$@"; do
        check_counted "$host"
    done
    check_fuzz
}
