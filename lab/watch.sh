# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Watching the machine until it is done, and saying what became of it.

# Seconds without a sign of life after which it counts as hung. Counted
# instructions run several times slower than the rest.
patience() {
    if [ -n "$icount" ]; then echo 600; else echo 90; fi
}

stop_machine() {
    kill "$qemu_pid" 2>/dev/null || :
    wait "$qemu_pid" 2>/dev/null || :
}

# wait_for_machine FOLDER: sets $ending to off (QEMU ended), hang or timeout.
wait_for_machine() {
    local began=$SECONDS seen=$SECONDS size=-1 now limit
    limit=$(patience)
    ending=off
    while kill -0 "$qemu_pid" 2>/dev/null; do
        now=$( (cat "$1"/{life,output,back.tar} 2>/dev/null || :) | wc -c)
        [ "$now" = "$size" ] || seen=$SECONDS
        size=$now
        [ $((SECONDS - seen)) -lt "$limit" ] || ending=hang
        [ $((SECONDS - began)) -lt "$timeout" ] || ending=timeout
        [ "$ending" = off ] || break
        sleep 0.3
    done
    stop_machine
}

crash_words() {
    cat <<'WORDS'
xen-crash ^Panic on CPU
xen-crash ^\(XEN\) Panic on CPU
xen-crash ^\(XEN\) Assertion .* failed
xen-crash ^\(XEN\) .*FATAL TRAP
xen-crash ^\(XEN\) .*FATAL PAGE FAULT
xen-crash ^\(XEN\) Xen BUG at
dom0-panic Kernel panic - not syncing
dom0-panic ^\(XEN\) Hardware Dom0 crashed
dom0-panic ^\(XEN\) Domain 0 crashed
WORDS
}

# crash CONSOLE: prints xen-crash or dom0-panic if the console shows one.
crash() {
    local what words
    crash_words | while read -r what words; do
        if grep -aqE "$words" "$1"; then
            echo "$what"
            break
        fi
    done
}

show_tail() {
    echo "--- the end of Xen's console ($1):"
    tail -n 30 "$1" | tr -d '\r'
    echo "---"
} >&2

# verdict WORD STATUS SENTENCE: leaves the word in OUTDIR/verdict and ends.
verdict() {
    echo "$1" >"$outdir/verdict"
    [ -z "$3" ] || say "$3"
    exit "$2"
}

bad_end() {
    show_tail "$outdir/console.log"
    verdict "$@"
}

# judge: the machine has ended; tells what became of it and exits.
judge() {
    local status=
    [ -f "$outdir/status" ] && status=$(cat "$outdir/status")
    case $(crash "$outdir/console.log") in
    xen-crash)
        bad_end xen-crash $LAB_XEN_CRASH "Xen crashed; see $outdir/console.log." ;;
    dom0-panic)
        bad_end dom0-panic $LAB_DOM0_PANIC "dom0's kernel panicked; see $outdir/console.log." ;;
    esac
    case $ending:$status in
    timeout:*)
        bad_end timeout $LAB_TIMEOUT "dom0 lives, but did not finish within $timeout s (see --timeout); $outdir/output has what it said so far." ;;
    hang:*)
        bad_end hang $LAB_HANG "the machine hangs: no sign of life from dom0 for $(patience) s." ;;
    off:)
        bad_end lab-error $LAB_ERROR "the machine went off without a result; see $outdir/console.log and $outdir/qemu.log." ;;
    esac
    verdict "exit $status" "$status" ""
}
