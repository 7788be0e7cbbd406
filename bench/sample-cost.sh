#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions of a sample in our own code, counted by callgrind on the process
# port: the mean over many samples, the same each time it is run.  Xen's part
# (NMI entry and exit, the IPI, its timer) is not in it; bench/lab-cost.sh has
# that.
#
#   make bench/sample-cost bench/page-cost && bench/sample-cost.sh [BUILD FOLDER]
#
# Exit status 1 if a bound is exceeded: 600 for the first half and 150 more for
# each frame of Xen's call chain, 1500 for the second and 1 more for each 4 bytes
# of guest stack, 1000 for each page of an HVM guest's that is looked for (the
# checks of each frame, which only the module has, are not in it).
set -eu
build=${1:-${top_builddir:-.}}
samples=4000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count KIND FUNCTION: instructions for each call.
count() {
    program=sample-cost
    [ "$1" != pages ] || program=page-cost
    valgrind -q --tool=callgrind --callgrind-out-file="$work/$1.$2" \
        --collect-atstart=no --toggle-collect="$2" \
        "$build/bench/$program" "$1" $samples
    awk -v n=$samples '/^(summary|totals):/ { total = $2 }
        END { printf "%d\n", total / n }' "$work/$1.$2"
}

status=0
# row WHAT KIND FUNCTION BOUND [PARTS]
row() {
    cost=$(($(count "$2" "$3") / ${5:-1}))
    verdict="at most $4"
    [ "$cost" -le "$4" ] || { verdict="MORE THAN $4"; status=1; }
    printf '%-44s %6d   %s\n' "$1" "$cost" "$verdict"
}

printf '%-44s %6s   %s\n' "instructions for each sample" "mean" "bound"
row "first half, guest interrupted" guest core_nmi_taken 600
row "first half, Xen interrupted" xen core_nmi_taken 600
row "first half, with Xen's chain of 16 frames" stack core_nmi_taken 3000
row "each frame of Xen's chain" stack xen_stack_walk 150 16
row "second half, with registers, guest" guest core_before_schedule 1500
row "second half, with registers, Xen" xen core_before_schedule 1500
row "second half, with Xen's chain of 16 frames" stack core_before_schedule 1500
row "second half, with 6 KiB of guest stack" window core_before_schedule 3036
row "a page of a guest's through both its tables" pages walk_page 1000
row "tick: who is kicked, counting, re-arming" guest core_tick 1500
exit $status
