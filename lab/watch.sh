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

# signs FOLDER: a number that grows as long as dom0 lives.
signs() {
    (cat "$1"/{life,output,back.tar} 2>/dev/null || :) | wc -c
}

# wait_for_machine FOLDER: sets $ending to off (QEMU ended), hang or timeout.
wait_for_machine() {
    local began=$SECONDS seen=$SECONDS size=-1 now limit
    limit=$(patience)
    ending=off
    while kill -0 "$qemu_pid" 2>/dev/null; do
        now=$(signs "$1")
        [ "$now" = "$size" ] || seen=$SECONDS
        size=$now
        [ $((SECONDS - seen)) -lt "$limit" ] || ending=hang
        [ $((SECONDS - began)) -lt "$timeout" ] || ending=timeout
        [ "$ending" = off ] || break
        sleep 0.3
    done
    stop_machine
}
