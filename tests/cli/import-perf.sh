#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What perf records here is for xenopreport what it is for perf: each function of each
# program has the same time, to the ns.
# Skipped where there is no perf, or it may not record.
# shellcheck disable=SC2154
set -eu
build=$(cd "${top_builddir:-.}" && pwd)
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=/dev/null
. "$here/tests/report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C PERF_CONFIG=/dev/null
count=0 failed=0

# Work with a child, in a kernel and in a library.
work='dd if=/dev/zero bs=64k count=4000 2>/dev/null | sort -n | wc -c >/dev/null
    i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done'

if ! perf record -q -e cpu-clock -o "$scratch/try" true >"$scratch/said" 2>&1; then
    echo "1..0 # SKIP perf cannot record here: $(head -1 "$scratch/said")"
    exit 0
fi

# Names that the kernel has for one address, such as memcpy and __pi_memcpy: each with
# the first of them.
awk '$2 ~ /[tTwW]/ && $1 !~ /^0+$/ {
    if ($1 in first) print $3, first[$1]; else first[$1] = $3 }' \
    /proc/kallsyms >"$scratch/aliases"

# Lines of PROGRAM TIME LEAF become the sum of each, where no name is as good as
# another, one of several is as good as the first, and so is what perf makes up for
# stubs of the linker.
sums() {
    awk 'FILENAME != "-" { alias[$1] = $2; next }
        { sub(/@@?[A-Z].*/, "", $3)
        if ($3 ~ /^(\[unknown\]|\[user|0x)|@plt$/ || $3 == "") $3 = "-"
        if ($3 in alias) $3 = alias[$3]
        sum[$1 " " $3] += $2 }
        END { for (key in sum) printf "%s %.0f\n", key, sum[key] }' \
        "$scratch/aliases" - | sort
}

# As xenopreport says it: HOST;PROGRAM;FRAME;...;LEAF TIME.
ours() {
    TMPDIR=$scratch "$program" -s "$scratch/data" --folded --sort=comm --thunks |
        awk '{ time = $NF; sub(/ [0-9]+$/, ""); count = split($0, frame, ";")
            leaf = frame[count]; sub(/_\[[kx]\]$/, "", leaf); gsub(/ /, "_", leaf)
            print frame[2], time, leaf }' | sums
}

theirs() {
    perf script -i "$scratch/data" --no-demangle -G -F comm,period,ip,sym 2>/dev/null |
        awk 'NF { leaf = $4; for (i = 5; i <= NF; i++) leaf = leaf "_" $i
            print $1, $2, leaf }' | sums
}

# WHAT OPTION...: records with these, and compares.
compare() {
    what=$1
    shift
    count=$((count + 1))
    if [ "$1" = pipe ]; then
        perf record -q -e cpu-clock -F 997 -g -o - sh -c "$work" \
            >"$scratch/data" 2>"$scratch/said"
    else
        perf record -q -e cpu-clock -F 997 "$@" -o "$scratch/data" \
            sh -c "$work" >"$scratch/said" 2>&1
    fi
    ours >"$scratch/ours" 2>"$scratch/errors"
    theirs >"$scratch/theirs"
    if [ -s "$scratch/ours" ] && cmp -s "$scratch/ours" "$scratch/theirs"; then
        echo "ok $count - $what"
        return
    fi
    failed=1
    echo "not ok $count - $what"
    {
        cat "$scratch/errors"
        diff "$scratch/ours" "$scratch/theirs" | head -20
    } | sed 's/^/# /'
}

compare "call chains by frame pointers" -g
compare "copies of stacks" --call-graph=dwarf,4096
compare "packed records" -g -z
compare "a pipe" pipe
left=$(find "$scratch" -name 'xenopreport-*' | wc -l)
count=$((count + 1))
if [ "$left" = 0 ]; then
    echo "ok $count - no folder is left"
else
    failed=1
    echo "not ok $count - $left folders are left in $scratch"
fi
echo "1..$count"
exit $failed
