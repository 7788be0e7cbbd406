#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a flame graph of the same samples with xenopreport and with the scripts
# that made such graphs known, and compares their CPU time, which other work of
# the machine hardly changes.  The scripts get the samples as `perf script`
# would print them; that conversion is not timed.
#
#   make bench/stack-session && bench/flamegraph.sh SCRIPTS [BUILD FOLDER]
#
# SCRIPTS is a folder with stackcollapse-perf.pl and flamegraph.pl
# (github.com/brendangregg/FlameGraph), which is yours to fetch.  Exit status 1
# if xenopreport is less than 20 times faster.  STACKS and SAMPLES in the
# environment change the numbers of chains and samples, 100000 and 1000000.
set -eu
scripts=${1:?the folder of stackcollapse-perf.pl and flamegraph.pl}
build=${2:-${top_builddir:-.}}
stacks=${STACKS:-100000} samples=${SAMPLES:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timed COMMAND...: ms of CPU time, user and system.
timed() {
    local TIMEFORMAT='%3U %3S'
    { time "$@" 2>"$work/errors"; } 2>&1 |
        awk '{ printf "%d\n", 1000 * ($1 + $2) }'
}

ours() {
    "$build/report/xenopreport" --session="$work/session" \
        --flamegraph="$work/ours.svg"
}
collapse() {
    perl "$scripts/stackcollapse-perf.pl" "$work/script" \
        >"$work/collapsed"
}
draw() {
    perl "$scripts/flamegraph.pl" "$work/collapsed" \
        >"$work/theirs.svg"
}

# Folded lines as perf script prints samples, leaf first.
as_script() {
    awk '{
        count = $NF
        sub(/ [0-9]+$/, "")
        frames = split($0, frame, ";")
        text = ""
        for (i = frames; i > 1; i--)
            text = text "\t    ffffffff81000010 " frame[i] " (image)\n"
        gsub(/ /, "_", frame[1])
        for (; count > 0; count--)
            printf "%s 1 [000] 1.000000: cpu-clock: \n%s\n", frame[1], text
    }'
}

"$build/bench/stack-session" "$work/session" "$stacks" "$samples"
"$build/report/xenopreport" --session="$work/session" --folded |
    as_script >"$work/script"
one=$(timed ours) two=$(timed collapse) three=$(timed draw)
[ -s "$work/ours.svg" ] && [ -s "$work/theirs.svg" ] ||
    { cat "$work/errors"; exit 2; }
ratio=$(((two + three) / one))

printf '%s stacks, %s samples, ms of CPU time\n' "$stacks" "$samples"
printf '%8s  %s\n' "$one" "xenopreport --flamegraph, from the session" \
    "$two" "stackcollapse-perf.pl" "$three" "flamegraph.pl"
printf '%8s  times as fast\n' "$ratio"
[ "$ratio" -ge 20 ]
