#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions of a walk up a guest's stack of twelve frames with an ORC table
# of 450,000 rows, counted by callgrind, and the bytes of that table.
#
#   make bench/guest-unwind && bench/guest-unwind.sh [BUILD FOLDER]
#
# Exit status 1 beyond 1300 instructions or 5 MB.
set -eu
build=${1:-${top_builddir:-.}}
walks=1000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bytes=$(valgrind -q --tool=callgrind --callgrind-out-file="$work/out" \
    --collect-atstart=no --toggle-collect=guest_unwind \
    "$build/bench/guest-unwind" $walks)
cost=$(awk -v n=$walks '/^(summary|totals):/ { total = $2 }
    END { printf "%d\n", total / n }' "$work/out")

status=0
row() {
    verdict="at most $3"
    [ "$2" -le "$3" ] || { verdict="MORE THAN $3"; status=1; }
    printf '%-44s %8d   %s\n' "$1" "$2" "$verdict"
}

printf '%-44s %8s   %s\n' "a guest's stack" "" "bound"
row "instructions for twelve frames" "$cost" 1300
row "bytes for 450,000 rows" "$bytes" 5000000
exit $status
