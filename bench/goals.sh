#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What reports, sessions, xenoprofd and samples are to take at most: one row for
# each measure, what it is now on this machine, and the goal.
#
#   make goals, or bench/goals.sh [BUILD FOLDER] [long] once it is built
#
# long: also those of 26 M samples and of an hour of a large host, which take some
# minutes and 300 MB of disk.  A row whose tools are not installed says so.  It
# gates nothing: the other scripts of this folder do.  Exit status 1 if a measure
# could not be taken.
set -eu
build=${1:-${top_builddir:-.}} long=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Not by way of the shell script that libtool leaves in the program's place.
program=$build/report/.libs/xenopreport
[ -x "$program" ] || program=$build/report/xenopreport
export LD_LIBRARY_PATH=$build/libxenoprof/.libs

# MEASURE NOW GOAL UNIT: at most so much, or at least, if GOAL begins with a +.
row() {
    awk -v what="$1" -v now="$2" -v goal="${3#+}" -v least="${3%%[0-9]*}" \
        -v unit="$4" 'BEGIN {
        missed = least == "+" ? now + 0 < goal + 0 : now + 0 > goal + 0
        printf "%-52s %9s %9s %-5s%s\n", what, now,
            (least == "+" ? ">=" : "<=") goal, unit, missed ? "  missed" : ""
    }'
}

absent() { printf '%-52s %9s\n' "$1" "no $2"; }

broken() {
    printf '%-52s %9s\n' "$1" failed
    failed=1
}

# Runs a view of a session on one core; then seconds and mib say what it took.
report() { # SESSION OPTION...
    local session=$work/$1
    shift
    rm -f "$work/cost"
    taskset -c 0 "$build/bench/run-cost" "$work/cost" "$program" --memory=8G \
        --session="$session" "$@" >"$work/out" || return 1
    seconds=$(awk '{ printf "%.2f", $1 / 1e6 }' "$work/cost")
    mib=$(awk '{ printf "%.0f", $2 * 1024 / 1e6 }' "$work/cost")
}

instructions() { # SESSION
    valgrind -q --tool=callgrind --callgrind-out-file="$work/calls" "$program" \
        --threads=1 --session="$work/$1" --sort=symbol >"$work/out"
    awk '/^(summary|totals):/ { print $2 }' "$work/calls" | tail -n 1
}

# Milliseconds by the clock, the least of seven turns.
wall() { # COMMAND...
    for _ in 1 2 3 4 5 6 7; do
        local from
        from=$(date +%s%N)
        "$@" >"$work/out"
        echo $((($(date +%s%N) - from) / 1000000))
    done | sort -n | head -n 1
}

same_stacks() {
    for millions in 1 2 10; do
        "$build/bench/stack-session" "$work/same$millions" 100000 \
            $((millions * 1000000))
    done
    report same10 --sort=symbol
    row "10 M samples of 100,000 stacks, --sort=symbol" "$seconds" 0.83 s
    if command -v valgrind >/dev/null; then
        row "  a sample more" \
            $((($(instructions same2) - $(instructions same1)) / 1000000)) \
            120 instr
    else
        absent "  a sample more" valgrind
    fi
    if [ "$(nproc)" -ge 2 ]; then
        set -- "$program" --session="$work/same10" --sort=symbol
        one=$(wall "$@" --threads=1) two=$(wall taskset -c 0,1 "$@")
        row "  two cores, of one core's wall time" \
            "$(awk -v a="$two" -v b="$one" 'BEGIN { printf "%.2f", a / b }')" \
            0.6 ""
    else
        absent "  two cores, of one core's wall time" "2nd core"
    fi
    report same10 --html="$work/page"
    row "  --html" "$seconds" 3.2 s
    row "  --html, memory" "$mib" 170 MB
    row "  --html, page" "$(stat -c %s "$work/page" | awk '{
        printf "%.1f", $1 / 1e6 }')" 5 MB
    rm -rf "$work"/same* "$work/page"
}

# Samples for other tools, and from perf.
exports() {
    "$build/bench/stack-session" "$work/samples" 100000 1000000
    for format in pprof otlp firefox speedscope perfetto perf; do
        report samples --threads=1 --export="$format:$work/exported"
        row "1 M samples, --export=$format" "$seconds" 1 s
        row "  memory" "$mib" 100 MB
    done
    report exported --threads=1 --sort=symbol
    row "1 M samples of perf.data, --sort=symbol" "$seconds" 2 s
    report exported --threads=1 --callgraph
    row "  --callgraph, memory" "$mib" 100 MB
    rm -rf "$work/samples" "$work/exported"
}

# Prints what the bench says of a made-up session, samples places stacks bytes
# steps, and KiB that the writer took.
make_growing() { # NAME HZ SECONDS [large]
    local name=$1
    shift
    "$build/bench/session-size" "$work/$name" "$@" 2>"$work/writer" | tail -n 1
    tr -cd '0-9\n' <"$work/writer"
}

growing() { # MILLIONS SECONDS GOAL-SECONDS GOAL-MEMORY
    local made
    read -r -d '' -a made < <(make_growing growing 997 "$2") || :
    report growing --sort=symbol
    row "$1 M samples of ever new stacks, --sort=symbol" "$seconds" "$3" s
    row "  memory" "$mib" "$4" MB
    report growing --callgraph
    row "  --callgraph" "$seconds" "$3" s
    row "  --callgraph, memory" "$mib" "$4" MB
    row "  bytes a sample, 997 Hz" "${made[3]}" 7 B
    row "  memory of who writes the session" \
        "$(awk -v kb="${made[5]}" 'BEGIN { printf "%.0f", kb * 1024 / 1e6 }')" \
        64 MB
    rm -rf "$work/growing"
}

large_host() {
    local made
    read -r -d '' -a made < <(make_growing large 19 60 large) || :
    row "bytes a sample, 19 Hz, 1,256 rings" "${made[3]}" 12 B
    rm -rf "$work/large"
}

# "A report of any hour in under 10 s": 21.6 M samples, 300 MB of disk.
large_hour() {
    make_growing large 19 3600 large >"$work/out"
    report large --threads=1
    row "an hour of a large host, overview" "$seconds" 10 s
    row "  memory" "$mib" 120 MB
    report large --threads=1 --sort=symbol
    row "  --sort=symbol" "$seconds" 10 s
    rm -rf "$work/large"
}

# How many times as fast as other tools we are: bench/peers.sh.
peers() {
    "$here/peers.sh" "$build" 1000000 >"$work/peers" 2>&1 ||
        broken "peers.sh: $(grep -m 1 '^not ok' "$work/peers" || :)"
    while IFS='|' read -r goal name what; do
        ratio=$(grep -F "  $name" "$work/peers" | sed "s/^  $name//" |
            awk 'NR == 1 { print $5 }')
        if [ -n "$ratio" ]; then
            row "$what" "$ratio" "+$goal" times
        else
            absent "$what" "$(echo "$name" | sed 's/^go tool //; s/[ ,].*//')"
        fi
    done <<'PEERS'
30|perf report -g caller --no-children|--callgraph against perf report -g caller
10|perf report -g none --no-children|--sort=symbol against perf report -g none
10|go tool pprof -top|--sort=symbol against pprof -top
15|inferno, of perf script's text|--flamegraph against inferno
PEERS
}

# One row of what another script of this folder prints, its median.
other_row() { # SCRIPT LINE GOAL UNIT MEASURE [DIVIDED BY]
    local now
    if ! command -v valgrind >/dev/null; then
        absent "$5" valgrind
        return
    fi
    [ -e "$work/$1" ] || "$here/$1" "$build" >"$work/$1" 2>&1 || :
    now=$(grep -F "$2" "$work/$1" | sed "s/^$2//" |
        awk -v by="${6:-1}" 'NR == 1 { printf "%.0f", $1 / by }')
    if [ -n "$now" ]; then row "$5" "$now" "$3" "$4"; else broken "$5"; fi
}

daemon() {
    if [ ! -x "$build/bench/drain-cost" ]; then
        absent "xenoprofd, a sample with 12 frames of a guest's" libxenctrl
        return
    fi
    local kind goal
    while read -r kind goal; do
        rm -rf "$work/drain"
        "$build/bench/drain-cost" 220000 "$work/drain" "${kind#known}" >"$work/out"
        row "xenoprofd, a sample with 19 frames, $kind chains" \
            "$(awk '{ printf "%.2f", $2 + $9 }' "$work/out")" "$goal" us
    done <<'END'
known 1.5
new 3
END
}

printf '%-52s %9s %9s\n' "$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)" \
    now goal
same_stacks
exports
growing 2.5 1200 0.69 120
[ -z "$long" ] || growing 26 12600 7.2 600
large_host
[ -z "$long" ] || large_hour
peers
daemon
other_row guest-unwind.sh "instructions for twelve frames" 100 instr \
    "a frame of a guest's stack" 12
other_row sample-cost.sh "each frame of Xen's chain" 90 instr \
    "a frame of Xen's stack"
# The goal is one copy of the window less: 768 words.
other_row sample-cost.sh "second half, with 6 KiB of guest stack" 2742 instr \
    "second half, with 6 KiB of guest stack"
echo "instructions that a sample takes from its guest, and 256 pCPUs: in the lab,"
echo "by bench/lab-cost.sh and bench/sample-gaps.sh"
exit $failed
