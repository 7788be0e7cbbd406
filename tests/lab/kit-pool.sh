# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# pCPUs that leave their pool and come back.

# move_pcpu ROUNDS: pCPU 1 leaves the pool, with a PVH guest that is pinned to
# it, and comes back; dom0 is busy. Xen's console says what became of it.
move_pcpu() {
    local round=0 moved=0
    hypercall-loop 86400 >/dev/null &
    hypercall-loop 86400 >/dev/null &
    must xl vcpu-pin test64 0 1
    while [ $round -lt "$1" ]; do
        round=$((round + 1))
        try xl cpupool-cpu-remove Pool-0 1
        [ "$status" != 0 ] || moved=$((moved + 1))
        sleep 1
        xl cpupool-cpu-add Pool-0 1
        must xl vcpu-pin test64 0 1
        echo "round $round, removed $moved times"
    done
    at_least "removals, of $1 tries" $moved $(($1 * 3 / 4))
}
