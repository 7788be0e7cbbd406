# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Watching the machine until it is done.

stop_machine() {
    [ -n "$machine_pid" ] || return 0
    end_machine
    wait "$machine_pid" 2>/dev/null || :
}

# signs FOLDER: a number that grows as long as dom0 lives.
signs() {
    (cat "$1"/{life,output,back.tar} 2>/dev/null || :) | wc -c
}

# Sets $worked, the seconds of a processor that the emulator had so far.
emulator_worked() {
    local stat
    read -r -a stat 2>/dev/null <"/proc/$machine_pid/stat" || return 0
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

# wait_for_machine FOLDER: sets $ending to off (it ended), hang or timeout.
wait_for_machine() {
    local began=$SECONDS seen=$SECONDS size=-1 now limit worked=0 worked_then=0 ticks
    limit=$(patience) ticks=$(getconf CLK_TCK)
    ending=off
    while kill -0 "$machine_pid" 2>/dev/null; do
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
