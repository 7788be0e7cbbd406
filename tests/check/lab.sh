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

check_lab() {
    local host status options=()
    [ "$level" = long ] && options+=(--long)
    for host in "$@"; do
        say "lab: $host"
        # What went wrong with it shows below.
        wait "${lab_builder[$host]}"
        status=0
        tests/lab/run --host "$host" "${options[@]}" --out "$logs/lab-$host" \
            >"$logs/lab-$host.tap" 2>"$logs/lab-$host.log" || status=$?
        count "lab: $host" $status "$logs/lab-$host.tap" "$logs/lab-$host.log"
    done
}
