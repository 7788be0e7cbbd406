#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions of xenoprofd for a sample with stacks (seven frames of Xen, twelve
# of a guest's kernel, from a window of 6 KiB), counted by callgrind: in the
# daemon, and in its walker, where the walk of the guest's stack is a stub;
# bench/guest-unwind.sh counts that walk.  First of chains that come again and
# again, then of ones of which each is new.
#
#   make bench/drain-cost && bench/drain-cost.sh [BUILD FOLDER]
#
# Exit status 1 if both, with a walk, exceed their bound.
set -eu
build=${1:-${top_builddir:-.}}
samples=4000
walk=3000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
within=true

# count KIND BOUND [new]
count() {
    rm -rf "${work:?}"/*
    valgrind -q --tool=callgrind --callgrind-out-file="$work/out.%p" \
        --collect-atstart=no --toggle-collect=store_samples \
        "$build/bench/drain-cost" $samples "$work/session" "$3" >"$work/said"
    # The parser is forked where counting is on, so all of it is counted.
    daemon=0 parser=0
    for file in "$work"/out.*; do
        total=$(awk -v n=$samples '/^(summary|totals):/ { total = $2 }
            END { printf "%d\n", total / n }' "$file")
        if grep -q walker_add "$file"; then daemon=$total
        else parser=$((parser + total)); fi
    done
    all=$((daemon + parser + walk))
    verdict="at most $2"
    [ $all -le "$2" ] || { verdict="MORE THAN $2"; within=false; }
    printf '%-44s %6s   %s\n' "instructions for a sample, $1 chains" '' bound
    printf '%-44s %6d\n' 'xenoprofd itself' "$daemon"
    printf '%-44s %6d\n' 'its walker, without the walk' "$parser"
    printf '%-44s %6d   %s\n' 'both, with a walk of twelve frames' $all "$verdict"
}

count known 34000 ''
count new 50000 new
$within
