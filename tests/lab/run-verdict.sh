# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Finds out how each scenario ended. dom0.sh prints 'scenario NAME begins' and
# 'scenario NAME passed (SECONDS s)' or 'failed'; its output survives a crash.

# section NAME: the output while it ran.
section() {
    awk -v begin="scenario $1 begins" -v end="^scenario $1 (passed|failed)" '
        $0 == begin { on = 1; next }
        on && $0 ~ end { exit }
        on { print }' "$folder/output"
}

said() {
    grep -qE "^scenario $1 $2( \(|\$)" "$folder/output" 2>/dev/null
}

# took NAME: ' (N s)', once it has ended.
took() {
    sed -nE "s/^scenario $1 (passed|failed)( \(.*)/\2/p" "$folder/output" 2>/dev/null
}

# It ends the machine, and that left on Xen's console what it should.
ended_as_wanted() {
    local text
    text=$(header "$1" ends)
    [ -n "$text" ] && said "$1" begins &&
        grep -aqF "$text" "$folder/console.log" 2>/dev/null
}

# A guest's kernel that panicked said why on its console.
crashed_guests() {
    local name
    while read -r _ name; do
        echo "the last words of the guest $name, which crashed:"
        tail -n 30 "$folder/guest-$name.log" | tr -d '\r' | cut -c 1-200
    done < <(grep -s '^crashed ' "$folder/guests")
}

# What the kernel of dom0 complained of first, and what it said below that: the end
# of its console seldom says why. Nothing reads its end before grep does: a pipe
# that breaks would be taken for a console without a complaint.
complaint() {
    grep -anEm 1 -A 30 \
        'BUG:|Oops|WARNING:|rcu:.*stall|segfault|traps:|protection fault|hung_task' \
        "$folder/console.log" | tr -d '\r' | cut -c 1-160
}

# What says most comes first: who shows the beginning only shows that.
end_of_boot() {
    local verdict=none
    [ ! -f "$folder/verdict" ] || verdict=$(cat "$folder/verdict")
    echo "the lab's verdict: $verdict (exit status $ended); $(grep -a 'processors were' "$folder/lab.log")"
    echo "the console's last lines: $(grep -av '^[[:space:]]*$' "$folder/console.log" |
        tail -n 3 | tr -d '\r' | cut -c 1-120 | paste -s -d '|')"
    echo "what dom0's kernel complained of first:"
    complaint || echo "(nothing)"
    echo "the lab's last words:"
    tail -n 20 "$folder/lab.log"
    echo "the last words of dom0:"
    tail -n 6 "$folder/output" 2>/dev/null || echo "(none)"
    crashed_guests
}

# Once for each boot.
tell_end() {
    [ -n "$end_told" ] || end_of_boot | remark
    end_told=yes
}

# Only an amount was missed, while the emulator's clock ran beside the machine's:
# that is worth a second boot before it counts. What equals or what is refused does
# not vary, and a machine that ended is never tried again. More than a few do not
# fall short by chance, and would only take the time of the others.
may_vary() {
    [ -z "$second" ] && [ ${#again[@]} -lt $((3 - tried_again)) ] &&
        section "$1" | grep -q '^FAILED by amount' &&
        ! section "$1" | grep -q '^FAILED:'
}

tell_scenario() {
    local name=$1 what
    what="$host, boot $boot: $name: $(header "$name" title)$second"
    if [ -n "$list" ]; then
        cases=$((cases + 1))
        echo "$what"
    elif said "$name" passed; then
        tap ok "$what$(took "$name")"
    elif said "$name" failed && may_vary "$name"; then
        echo "$host, boot $boot: $name: once more, after:" | remark
        section "$name" | grep '^FAILED' | remark
        again+=("$name")
    elif said "$name" failed; then
        tap not "$what$(took "$name")"
        # The reason first: who shows the beginning only shows that.
        section "$name" | sed -n '/^FAILED/p' | cut -c 1-400 | remark
        section "$name" | tail -n 25 | remark
    elif ended_as_wanted "$name"; then
        tap ok "$what"
    elif said "$name" begins; then
        tap not "$what"
        tell_end
        echo "the machine ended while this ran. This is the end of what it said:" | remark
        section "$name" | tail -n 12 | remark
    else
        tap not "$what"
        echo "not run, since the boot ended before." | remark
        tell_end
    fi
}

tell_boot() {
    local name end_told=
    again=()
    for name in "${planned[@]}"; do
        tell_scenario "$name"
    done
    [ -z "$list" ] || return 0
    # A guest died, or the machine crashed after the last scenario.
    if [ "$ended" -ne 0 ] && [ "$ended" -ne 1 ] && ! ended_as_wanted "$name"; then
        tap not "$host, boot $boot: ends as it should"
        tell_end
    fi
}

tried_again=0

# What only missed an amount runs once more, in a boot of its own.
tell_again() {
    local second=' (second try)'
    [ ${#again[@]} -gt 0 ] || return 0
    planned=("${again[@]}")
    tried_again=$((tried_again + ${#again[@]}))
    run_boot "$host-$boot-again"
    tell_boot
}
