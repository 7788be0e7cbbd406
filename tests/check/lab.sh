# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# A stock Xen host in QEMU.

check_lab() {
    local host status options=()
    [ "$level" = long ] && options+=(--long)
    for host in "$@"; do
        say "lab: $host"
        status=0
        tests/lab/run --host "$host" "${options[@]}" --out "$logs/lab-$host" \
            >"$logs/lab-$host.tap" 2>"$logs/lab-$host.log" || status=$?
        count "lab: $host" $status "$logs/lab-$host.tap" "$logs/lab-$host.log"
    done
}
