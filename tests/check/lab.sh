# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# A stock Xen host in QEMU.

# What runs in dom0 is built for each host, behind what leaves a processor idle.
declare -A lab_builder
start_lab_builds() {
    local host
    for host in "$@"; do
        nice -n 19 lab/build-for "$host" >"$logs/lab-build-$host.log" 2>&1 &
        lab_builder[$host]=$!
    done
}

# lab_boots LOG: how long each boot took.
lab_boots() {
    local boot seconds
    while read -r boot seconds; do
        part "$seconds" "boot $boot"
    done < <(sed -n "s/.*, boot '\(.*\)' took \([0-9]*\) s\$/\1 \2/p" "$1")
}

check_lab() {
    local host status options=()
    [ "$level" = long ] && options+=(--long)
    for host in "$@"; do
        say "lab: $host"
        # What went wrong with it shows below.
        wait "${lab_builder[$host]}"
        part $((SECONDS - tier_began)) "waited for its build"
        status=0
        tests/lab/run --host "$host" "${options[@]}" --out "$logs/lab-$host" \
            >"$logs/lab-$host.tap" 2>"$logs/lab-$host.log" || status=$?
        lab_boots "$logs/lab-$host.log"
        count "lab: $host" $status "$logs/lab-$host.tap" "$logs/lab-$host.log"
    done
}
