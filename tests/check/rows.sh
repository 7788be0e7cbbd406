# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Unwind rows of all programs and libraries of the lab's hosts.

# rows_of HOST
rows_of() {
    local tree
    tree=$(lab/lab path --host "$1" tree) || return 1
    tests/elf-files build-gcc "$tree"
}

# Only with --long: readelf needs a minute for a host.
check_rows() {
    local host
    [ "$level" = long ] || return 0
    say "unwind rows of the hosts' files"
    for host in "$@"; do
        case_of "unwind rows of $host's files" rows_of "$host"
    done
}
