#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions to walk a frame of a user stack by rows, counted by callgrind:
# 200 stacks of a program (bash at work, unless one is given), each walked 19
# times; and how the walks end.
#
#   make bench/user-stacks && bench/user-stacks.sh [BUILD FOLDER [PROGRAM WORD...]]
#
# Exit status 1 beyond 150 instructions for a frame.
set -eu
build=${1:-${top_builddir:-.}}
[ $# = 0 ] || shift
# shellcheck disable=SC2016
[ $# -gt 0 ] || set -- bash -c \
    'f() { local i=$(($1 * 2)); [ $1 = 0 ] || f $(($1 - 1)); }; while :; do f 9; done'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

valgrind -q --tool=callgrind --callgrind-out-file="$work/out" \
    --collect-atstart=no --toggle-collect=user_walk \
    "$build/bench/user-stacks" -n 200 -k 2 "$@" >"$work/said"
head -n 1 "$work/said"

status=0
row() {
    verdict="at most $3"
    [ "$2" -le "$3" ] || { verdict="MORE THAN $3"; status=1; }
    printf '%-44s %8d   %s\n' "$1" "$2" "$verdict"
}

total=$(awk '/^(summary|totals):/ { print $2; exit }' "$work/out")
read -r _ _ _ frames _ <<TEXT
$(tail -n 1 "$work/said")
TEXT
row "instructions for a frame" $((total / frames)) 150
exit $status
