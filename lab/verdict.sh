# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What became of the machine, read from what it left.

# What Xen's console shows, worst first. An emulator fault is a guest whose
# state is Xen's own: a code segment and an instruction pointer of Xen's. Only
# the processor writes those into a VMCB.
console_signs() {
    cat <<'WORDS'
xen-crash ^\(XEN\) Panic on CPU
xen-crash ^\(XEN\) Assertion .* failed
xen-crash ^\(XEN\) .*FATAL TRAP
xen-crash ^\(XEN\) .*FATAL PAGE FAULT
xen-crash ^\(XEN\) Xen BUG at
dom0-panic Kernel panic - not syncing
dom0-panic ^\(XEN\) Hardware Dom0 crashed
dom0-panic ^\(XEN\) Domain 0 crashed
emulator-fault ^\(XEN\) RIP: +e008:.*CONTEXT: hvm guest
guest-lost ^\(XEN\) d[0-9]+v[0-9]+ Triple fault
guest-lost ^\(XEN\) domain_crash called
guest-lost ^\(XEN\) Domain [0-9]+ .*crashed on cpu
WORDS
}

# Xen prints a guest's instruction pointer and the context on two lines.
console_text() {
    tr -d '\r' <"$outdir/console.log" | awk '
        /^\(XEN\) RIP:/ { held = $0; next }
        held != "" { print held " " $0; held = ""; next }
        { print }'
}

# Prints the worst word that the console, or dom0's look at the guests, gives.
worst() {
    local what words
    console_text >"$work/console"
    while read -r what words; do
        if grep -aqE "$words" "$work/console"; then
            echo "$what"
            return
        fi
    done < <(console_signs)
    if grep -qsE '^crashed ' "$outdir/guests"; then
        echo guest-lost
    fi
}

show_tail() {
    echo "--- the end of $1:"
    tail -n "$2" "$1" | tr -d '\r'
    echo "---"
} >&2

show_guests() {
    local log
    for log in "$outdir"/guest-*.log; do
        [ ! -s "$log" ] || show_tail "$log" 10
    done
    [ ! -s "$outdir/guests" ] || show_tail "$outdir/guests" 40
}

# Where each processor of a machine that hung was, thrice, in one line.
say_processors() {
    say "processors were at:$(nm -n "$hypervisor/xen-syms" |
        awk 'NR == FNR { at[++count] = $1; name[count] = $3; next }
            /^CPU#/ { cpu = substr($1, 5) }
            sub(/^RIP=/, "") {
                for (i = count; i && at[i] > $1; i--)
                    ;
                printf " %d %s %s", cpu, $1, (i && i < count ? name[i] : "")
            }' - "$outdir/processors")"
}

# verdict WORD STATUS SENTENCE: leaves the word in OUTDIR/verdict and ends.
verdict() {
    echo "$1" >"$outdir/verdict"
    [ -z "$3" ] || say "$3"
    exit "$2"
}

bad_end() {
    show_tail "$outdir/console.log" 30
    case $1 in
    emulator-fault | guest-*) show_guests ;;
    hang) say_processors ;;
    esac
    verdict "$@"
}

judge_crash() {
    case $(worst) in
    xen-crash)
        bad_end xen-crash $LAB_XEN_CRASH "Xen crashed; see $outdir/console.log." ;;
    dom0-panic)
        bad_end dom0-panic $LAB_DOM0_PANIC "dom0's kernel panicked; see $outdir/console.log." ;;
    emulator-fault)
        bad_end emulator-fault $LAB_EMULATOR "emulator fault: a PVH guest was found with Xen's own state, which only QEMU's emulated SVM can have put there; this run says nothing about what was tested." ;;
    guest-lost)
        bad_end guest-lost $LAB_GUEST_LOST "a guest crashed; see $outdir/guests and $outdir/console.log." ;;
    esac
}

# judge: the machine has ended; says what became of it and exits.
judge() {
    local status=
    [ ! -f "$outdir/zz-status" ] || status=$(cat "$outdir/zz-status")
    rm -f "$outdir/zz-status"
    judge_crash
    case $ending:$status in
    timeout:*)
        bad_end timeout $LAB_TIMEOUT "dom0 lives, but did not finish within $timeout s (see --timeout); $outdir/output has what it said so far." ;;
    hang:*)
        bad_end hang $LAB_HANG "the machine hangs: no sign of life from dom0 for $(patience) s." ;;
    off:)
        [ ! -s "$outdir/guests" ] ||
            bad_end guest-not-up $LAB_NOT_UP "a guest did not come up, so the script was not run; see $outdir/guests."
        bad_end lab-error $LAB_ERROR "the machine went off without a result; see $outdir/console.log and $outdir/machine.log." ;;
    esac
    verdict "exit $status" "$status" ""
}
