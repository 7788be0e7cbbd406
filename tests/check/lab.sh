# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# A stock Xen host in QEMU.

check_lab() {
    local host options=()
    [ "$level" = long ] && options+=(--long)
    for host in "$@"; do
        say "lab: $host"
        tests/lab/run --host "$host" "${options[@]}" --out "$logs/lab-$host" \
            >"$logs/lab-$host.tap" 2>"$logs/lab-$host.log"
        if grep -qE '^(not )?ok ' "$logs/lab-$host.tap"; then
            count "lab: $host" "$logs/lab-$host.tap"
        else
            case_of "lab: $host runs" cat "$logs/lab-$host.log" /nonexistent
        fi
    done
}
