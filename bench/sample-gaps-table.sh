#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sample-gaps-table.sh FOLDER SHIFT: prints the table of bench/sample-gaps.sh
# from the files that its script has left in FOLDER.
set -euo pipefail
cd "$1"
shift_bits=$2 status=0
# As bench/goals.table has it, where Xen was interrupted, without windows.
first_half=400 second_half=1000
bounds=()

# figures FILE: count, median, 99th percentile, most, `others` and mean. For each
# gap with sampling off, the gap nearest to it in length is dropped. A gap beyond
# 20,000 instructions is another domain's turn on the pCPU.
figures() {
    sort -n -k 2 "$1" | awk -v ticks=$((1 << shift_bits)) '
        { length_of = $2 / ticks }
        length_of > 20000 { next }
        $1 == "on" { on[++n] = length_of }
        $1 == "off" { off[++m] = length_of }
        function apart(a, b) { return a > b ? a - b : b - a }
        END {
            for (i = 1; i <= m; i++) {
                best = 0
                for (j = 1; j <= n; j++)
                    if (!(j in gone) && (!best ||
                        apart(on[j], off[i]) < apart(on[best], off[i])))
                        best = j
                gone[best] = 1
            }
            for (j = 1; j <= n; j++)
                if (!(j in gone)) sum += left[++k] = on[j]
            printf "%d %d %d %d %d %d\n", k, left[int((k + 1) / 2)],
                left[int((k * 99 + 99) / 100)], left[k], m, k ? sum / k : 0
        }'
}

# row FILE WHAT: sets $median, $high and $mean.
row() {
    read -r count median high most others mean < <(figures "$1")
    printf '%-46s %7d %7d %7d %7d %7d\n' \
        "$2" "$count" "$median" "$high" "$most" "$others"
    [ "$count" -ge 500 ] || { echo "these are too few"; status=1; }
}

# bound WHAT FIGURE BOUND
bound() {
    local verdict="at most $3"
    [ "$2" -le "$3" ] || { verdict="MORE THAN $3"; status=1; }
    printf '%-46s %7d   %s\n' "$1" "$2" "$verdict"
}

# of_status FILE NAME: a number of --status --json.
of_status() {
    sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$1" | sed 1q
}

# record_bounds FILE WHAT: checks the gaps of the last row, without what lies
# before the tick and after the record. The module counts the cost of ticks, of
# first halves, which interrupt ticks here, and of second halves.
record_bounds() {
    local inside around
    inside=$(($(of_status "$1" cost_ns) / (1 << shift_bits) /
        $(of_status "$1" made) - first_half))
    around=$((mean - inside))
    bounds+=("$2, tick to record: mean|$inside|4000"
        "$2, tick to record: median|$((median - around))|4000"
        "$2, tick to record: p99|$((high - around))|8000")
}

printf '%-46s %7s %7s %7s %7s %7s\n' "instructions of a whole sample" \
    samples median p99 most others
row pvh-plain "PVH, registers"
record_bounds pvh-cost PVH
row pvh-frames "PVH, Xen's frames"
pvh_frames=$median
row pvh-word "PVH, Xen's frames, window of 8 bytes"
row pvh-window "PVH, Xen's frames, window of 6 KiB"
pvh_window=$median
row pv-plain "PV, registers"
record_bounds pv-cost PV
row pv-frames "PV, Xen's frames"
pv_frames=$median
row pv-word "PV, Xen's frames, window of 8 bytes"
row pv-window "PV, Xen's frames, window of 6 KiB"
pv_window=$median
row pv-end "PV, Xen's frames, 1.2 KiB, stack's end"
pv_end=$median
echo
for each in "${bounds[@]}"; do
    IFS='|' read -r what figure most <<<"$each"
    bound "$what" "$figure" "$most"
done
bound "second half, PV, 6 KiB" \
    $((second_half + pv_window - pv_frames)) 3036
bound "second half, PV, 1.2 KiB up to the stack's end" \
    $((second_half + pv_end - pv_frames)) 4300
bound "what 6 KiB in 3 pages add, PVH" $((pvh_window - pvh_frames)) 4536
# How long xenctx kept the guest paused: the median of eleven times.
pause=$(awk -v ticks=$((1 << shift_bits)) '{ print int($2 / ticks) }' xenctx |
    sort -n | sed -n 6p)
bound "sample with a stack, PVH, fifty times" $((50 * pvh_window)) "$pause"
exit $status
