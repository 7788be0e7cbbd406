# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Watching the machine until it is done.

# Seconds without a sign of life after which it counts as hung. Counted
# instructions run several times slower than the rest.
patience() {
    if [ -n "$icount" ]; then echo 600; else echo 90; fi
}

stop_machine() {
    [ -n "$qemu_pid" ] || return 0
    kill "$qemu_pid" 2>/dev/null || :
    wait "$qemu_pid" 2>/dev/null || :
}

# note_processors FOLDER: what each processor does and what its stack has, three times
# a second apart, for a machine that hangs: FOLDER/processors.
note_processors() {
    local i
    exec {monitor}<>"$work/monitor.in"
    timeout 6 cat "$work/monitor.out" | sed 's/\r$//; /(qemu)/d' >"$1/processors" &
    for _ in 1 2 3; do
        echo 'info registers -a'
        for ((i = 0; i < cpus; i++)); do
            printf 'cpu %d\nx /96xg $rsp\n' "$i"
        done
        sleep 1
    done >&"$monitor"
    exec {monitor}>&-
    wait $! || :
}

# signs FOLDER: a number that grows as long as dom0 lives.
signs() {
    (cat "$1"/{life,output,back.tar} 2>/dev/null || :) | wc -c
}

# Sets $worked, the seconds of a processor that the emulator had so far.
emulator_worked() {
    local stat
    read -r -a stat 2>/dev/null <"/proc/$qemu_pid/stat" || return 0
    worked=$(((stat[13] + stat[14]) / ticks))
}

# is_hung SECONDS WORKED: whether that long without a sign, and so much work in it,
# is too much. Where others want this machine's processors, the emulator has too few
# of them to be blamed, unless it does nothing at all.
is_hung() {
    [ "$1" -ge "$limit" ] && {
        [ "$2" -ge "$limit" ] || [ $((10 * $2)) -lt "$1" ]
    }
}

# wait_for_machine FOLDER: sets $ending to off (QEMU ended), hang or timeout.
wait_for_machine() {
    local began=$SECONDS seen=$SECONDS size=-1 now limit worked=0 worked_then=0 ticks
    limit=$(patience) ticks=$(getconf CLK_TCK)
    ending=off
    while kill -0 "$qemu_pid" 2>/dev/null; do
        now=$(signs "$1")
        emulator_worked
        [ "$now" = "$size" ] || { seen=$SECONDS worked_then=$worked; }
        size=$now
        ! is_hung $((SECONDS - seen)) $((worked - worked_then)) || ending=hang
        [ $((SECONDS - began)) -lt "$timeout" ] || ending=timeout
        [ "$ending" = off ] || break
        sleep 0.3
    done
    [ "$ending" != hang ] || note_processors "$1"
    stop_machine
}
