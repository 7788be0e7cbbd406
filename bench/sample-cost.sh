#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions that a sample takes in our own code, counted by callgrind on the
# process port: median and 99th percentile of many samples, the same in each run.
# Xen's part (NMI entry and exit, the IPI, its timer) is not in it;
# bench/lab-cost.sh and bench/sample-gaps.sh have that.
#
#   make bench/sample-cost bench/page-cost bench/fetch-cost && bench/sample-cost.sh [BUILD FOLDER]
#
# Exit status 1 if the percentile exceeds its bound: 600 for the first half and
# 90 more for each frame of Xen's call chain; 1500 for the second half and 1 more
# for each 4 bytes of guest stack, 72 more where a window has a third page, 460 for
# a process's stack below its kernel's, which is found, and read as another guest's
# would be; 1000 for each page of an HVM guest that is
# looked up (without the checks of its frame, which only the module has); 900 for
# the process and thread that run in a PV guest, 1800 in a PVH guest; 125 for a vCPU
# in a WAIT round (38 of them are the process port's; vcpu_runstate_get() is Xen's
# part).  One that rests is said in one round of 16 only.  An event's overflow may take
# 420 more than a kick, without the registers themselves.  3000 for a tick's look at
# vCPUs that wait, with a sample of one and 4 KiB of its stack.
set -eu
build=${1:-${top_builddir:-.}}
samples=1000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Stands still in these: a software PMU's registers take many instructions, where
# a processor's take one each.
registers=
stand_still="--toggle-collect=port_msr_read --toggle-collect=port_msr_write"
stand_still="$stand_still --toggle-collect=port_pmi_unmask"

# count KIND FUNCTION: instructions of each call, the least first.
count() {
    program=sample-cost
    [ "$1" != pages ] || program=page-cost
    turns=$samples
    case $1 in
        pv | pvh) program=fetch-cost ;;
        run | rest) turns=$((samples * 3)) ;; # upkeep is not at each tick
    esac
    case $1 in intel | amd | ibs) registers=$stand_still ;; *) registers= ;; esac
    # shellcheck disable=SC2086
    valgrind -q --tool=callgrind --callgrind-out-file="$work/$1.$2" \
        --combine-dumps=yes --collect-atstart=no \
        --toggle-collect="$2" --dump-after="$2" $registers \
        "$build/bench/$program" "$1" $turns
    awk '/^totals:/ && $2 { print $2 }' "$work/$1.$2" | sort -n
}

status=0
# row WHAT KIND FUNCTION BOUND [PARTS]
row() {
    count "$2" "$3" >"$work/calls"
    calls=$(wc -l <"$work/calls")
    [ "$calls" -ge $samples ] || { echo "only $calls calls of $3"; exit 1; }
    median=$(($(sed -n $(((calls + 1) / 2))p "$work/calls") / ${5:-1}))
    high=$(($(sed -n $(((calls * 99 + 99) / 100))p "$work/calls") / ${5:-1}))
    verdict="at most $4"
    [ "$high" -le "$4" ] || { verdict="MORE THAN $4"; status=1; }
    printf '%-44s %6d %6d   %s\n' "$1" "$median" "$high" "$verdict"
}

printf '%-44s %6s %6s   %s\n' "instructions for each sample" median p99 "bound"
row "first half, guest interrupted" guest core_nmi_taken 600
kicked=$high
row "first half, guest, Intel's event of four" intel core_nmi_taken $((kicked + 420))
row "first half, guest, AMD's event of four" amd core_nmi_taken $((kicked + 420))
row "first half, guest, a tag of AMD's IBS, of four" ibs core_nmi_taken $((kicked + 420))
row "first half, Xen interrupted" xen core_nmi_taken 600
row "first half, with Xen's chain of 16 frames" stack core_nmi_taken 2040
row "each frame of Xen's chain" stack xen_stack_walk 90 16
row "second half, with registers, guest" guest core_before_schedule 1500
row "second half, with registers, Xen" xen core_before_schedule 1500
row "second half, with Xen's chain of 16 frames" stack core_before_schedule 1500
row "second half, with 6 KiB of guest stack" window core_before_schedule 3036
row "second half, with 8 KiB of a process's stack" process core_before_schedule 3620
row "second half, a process's stack below a kernel's" below core_before_schedule 4260
row "first half, all sorts of samples" mixed core_nmi_taken 2040
row "second half, all sorts of samples" mixed core_before_schedule 3130
row "a page of a guest's through both its tables" pages walk_page 1000
row "a task of a PV guest, two small pages" pv fetch_run 900
row "a task of a PVH guest, two small pages" pvh fetch_run 1800
row "tick: who is kicked, counting, re-arming" guest core_tick 2000
row "a vCPU that runs, in a WAIT round" run wait_record_look 125 64
row "a vCPU that rests, in a WAIT round" rest wait_record_look 125 64
row "a tick that samples a vCPU that waits" wait wait_sample_look 3000
exit $status
