# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# A stock Xen host in QEMU.

# Programs for dom0 are built for each host, beside tiers that leave a processor
# idle.
declare -A lab_builder
start_lab_builds() {
    local host
    for host in "$@"; do
        nice -n 19 lab/build-for "$host" >"$logs/lab-build-$host.log" 2>&1 &
        lab_builder[$host]=$!
    done
}

counting=shares
has_counting() {
    [ "$level" = long ] && tests/lab/run --host "$1" --boot "$counting" --list >/dev/null 2>&1
}

# count_instructions HOST: the boot that does so, if it is one of this host's.
count_instructions() {
    ! has_counting "$1" || note "lab-$1-counted" tests/lab/run --host "$1" \
        --boot "$counting" --long --out "$logs/lab-$1-counted"
}

# lab_boots LOG: how long each boot took.
lab_boots() {
    local boot seconds
    while read -r boot seconds; do
        part "$seconds" "boot $boot"
    done < <(sed -n "s/.*, boot '\(.*\)' took \([0-9]*\) s\$/\1 \2/p" "$1")
}

check_counted() {
    local name=lab-$1-counted
    has_counting "$1" || return 0
    lab_boots "$logs/$name.said"
    grep -E '^(ok|not ok|#)' "$logs/$name.said" >"$logs/$name.tap"
    count "lab: $1, counted" "$(cat "$logs/$name.status")" "$logs/$name.tap" \
        "$logs/$name.said"
}

# boot_options HOST: its boots but the counting one. Naming a boot runs its long
# scenarios too, so only those are named that run anyway.
boot_options() {
    local long=() boot
    [ "$level" != long ] || { long=(--long); echo --long; }
    for boot in $(tests/lab/run --host "$1" "${long[@]}" --list |
        sed -n 's/^[^,]*, boot \([^:]*\):.*/\1/p' | uniq); do
        [ "$boot" = "$counting" ] || printf '%s\n' --boot "$boot"
    done
}

check_lab() {
    local host status options
    for host in "$@"; do
        mapfile -t options < <(boot_options "$host")
        say "lab: $host"
        # The cases below show what went wrong.
        wait "${lab_builder[$host]}"
        part $((SECONDS - tier_began)) "waited for its build"
        status=0
        tests/lab/run --host "$host" "${options[@]}" --out "$logs/lab-$host" \
            >"$logs/lab-$host.tap" 2>"$logs/lab-$host.log" || status=$?
        lab_boots "$logs/lab-$host.log"
        count "lab: $host" $status "$logs/lab-$host.tap" "$logs/lab-$host.log"
    done
}
