#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Gives the same samples to xenopreport and to other profilers' tools, and
# compares what they take: CPU time with the kernel's part, memory, files.
#
#   make bench/peers bench/run-cost && bench/peers.sh BUILD [SAMPLES]
#
# SAMPLES is 100000 unless you say how many.  Ours and theirs run in turn, RUNS
# times (3), or until theirs has taken a minute.  RUNS=0 only compares answers.
#
# Peers: perf; go; stackcollapse-perf.pl and flamegraph.pl, which are yours to
# fetch (github.com/brendangregg/FlameGraph), in PATH or in the folder SCRIPTS;
# inferno-collapse-perf and inferno-flamegraph.  Who is not there is left out.
# Exit status 1 if a peer fails, or if its ten hottest functions do not have the
# samples that ours have.
set -eu
build=${1:?the build folder} samples=${2:-100000} runs=${RUNS:-3}
PATH=${SCRIPTS:+$SCRIPTS:}$PATH
export LC_ALL=C PERF_CONFIG=/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# Runs one command of a turn.
cost() { "$build/bench/run-cost" "$work/steps" "$@" 2>"$work/errors"; }

# Adds the turn that ended to the file $1: its time, and the memory of its
# largest command, since they do not need to run at the same time.
end_turn() {
    awk '{ us += $1; if ($2 > kb) kb = $2 } END { print us, kb }' \
        "$work/steps" >>"$1"
    rm "$work/steps"
}

# Not by way of the shell script that libtool leaves in the program's place.
program=$build/report/.libs/xenopreport
[ -x "$program" ] || program=$build/report/xenopreport
export LD_LIBRARY_PATH=$build/libxenoprof/.libs

xenopreport() {
    cost "$program" --session="$work/session/" "$@" >"$work/ours"
}

# The peers, each with the name of its program first.
perf_report() {
    cost perf report -f -i "$work/perf" --kallsyms="$work/kallsyms" --stdio \
        -n "$@" >"$work/theirs"
}
perf_script() {
    cost perf script -f -i "$work/perf" --kallsyms="$work/kallsyms" \
        >"$work/text"
}
perl_graph() {
    perf_script &&
        cost stackcollapse-perf.pl "$work/text" >"$work/theirs" &&
        cost flamegraph.pl "$work/theirs" >"$work/picture"
}
inferno_graph() {
    cost inferno-collapse-perf "$work/text" >"$work/theirs" &&
        cost inferno-flamegraph "$work/theirs" >"$work/picture"
}
pprof_top() {
    cost go tool pprof -symbolize=none -sample_index=samples -top \
        "$work/pprof" >"$work/theirs"
}

# What each form of report says, as lines of SAMPLES FUNCTION.
counts_xenopreport() {
    awk 'NF == 5 && $2 ~ /^[1-9][0-9]*$/ && $5 ~ /^[a-z]/ { print $2, $5 }'
}
counts_perf() { # one row for each process, or for all of them
    awk 'NF > 3 && $(NF - 1) == "[k]" { count[$NF] += $2 ~ /%$/ ? $3 : $2 }
        END { for (name in count) print count[name], name }'
}
counts_folded() { # in samples, or in ns of 1003009 each
    awk -F '[; ]' '{ count[$(NF - 1)] += $NF % 1003009 ? $NF : $NF / 1003009 }
        END { for (name in count) print count[name], name }'
}
counts_script() { # a line for the sample, then its frames, leaf first
    awk '/^[^\t]/ { leaf = 1; next }
        leaf { sub(/\+0x.*/, "", $2); count[$2]++; leaf = 0 }
        END { for (name in count) print count[name], name }'
}
counts_pprof() { awk 'NF == 6 { print $1, $6 }'; }

say() { # ok|not ok, TEXT
    number=$((number + 1))
    [ "$1" = ok ] || failed=1
    if [ "$runs" = 0 ] || [ "$1" != ok ]; then
        echo "$1 $number - $2"
    fi
}

# Whether what a peer said, by the function $1 that counts in it, is our answer.
compare() { # COUNTS NAME [FILE]
    "$1" <"${3-$work/theirs}" | sort >"$work/counts"
    if comm -23 "$work/hottest" "$work/counts" | grep . >"$work/different"; then
        say "not ok" "$2: the hottest functions have the samples that ours have"
        sed 's/^/# not in it: /' "$work/different"
    else
        say ok "$2: the hottest functions have the samples that ours have"
    fi
}

# Medians, and the median, lowest and highest ratio of all turns.
show() { # VIEW NAME GOAL
    paste "$work/our-turns" "$work/their-turns" |
        awk -v view="xenopreport $1" -v name="$2" -v goal="$3" '
        function sort(list,   i, j, kept) {
            for (i = 2; i <= NR; i++) {
                kept = list[i]
                for (j = i - 1; j > 0 && list[j] > kept; j--)
                    list[j + 1] = list[j]
                list[j + 1] = kept
            }
        }
        function middle(list) {
            sort(list)
            return (list[int((NR + 1) / 2)] + list[int(NR / 2) + 1]) / 2
        }
        {
            our_us[NR] = $1; our_kb[NR] = $2; us[NR] = $3; kb[NR] = $4
            times[NR] = $3 / $1; memory[NR] = $4 / $2
        }
        END {
            printf "%-37s %7.2f s %6.0f MiB\n", view, \
                middle(our_us) / 1e6, middle(our_kb) / 1024
            printf "  %-35s %7.2f s %6.0f MiB %7.1f %6s %9.1f", name, \
                middle(us) / 1e6, middle(kb) / 1024, middle(times), goal, \
                middle(memory)
            printf (NR > 1 ? "   %.1f to %.1f\n" : "\n"), times[1], times[NR]
        }'
}

# Returns false, and says so, if one of the programs is not installed.
have() { # NAME PROGRAM...
    local name=$1 program
    shift
    for program; do
        command -v "$program" >/dev/null && continue
        echo "# $name: left out, there is no $program"
        return 1
    done
}

# Runs a view of ours and the peer's FUNCTION in turn.
pair() { # PROGRAMS COUNTS GOAL NAME VIEW FUNCTION [ARGUMENT...]
    local programs=$1 counts=$2 goal=$3 name=$4 view=$5 turn
    shift 5
    # shellcheck disable=SC2086
    have "$name" $programs || return 0
    rm -f "$work/our-turns" "$work/their-turns" "$work/steps"
    for ((turn = 0; turn == 0 || turn < runs; turn++)); do
        xenopreport "$view"
        end_turn "$work/our-turns"
        if ! "$@"; then
            say "not ok" "$name: $(tail -n 1 "$work/errors")"
            return
        fi
        end_turn "$work/their-turns"
        awk '{ us += $1 } END { exit us > 6e7 }' "$work/their-turns" || break
    done
    compare "$counts" "$name"
    [ "$runs" = 0 ] || show "${view%=/*}" "$name" "$goal"
}

size_of() { find "$1" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }'; }

sizes() {
    local form name ours
    ours=$(size_of "$work/session")
    for form in session:session perf:perf.data zstd:"perf.data, zstd -3" \
        text:"perf script's text" pprof:"pprof's .pb.gz, without times"; do
        name=${form#*:} form=$work/${form%%:*}
        [ -e "$form" ] || continue
        awk -v name="$name" -v ours="$ours" -v size="$(size_of "$form")" 'BEGIN {
            printf "%-37s %7.2f MB %18.1f\n", name, size / 1e6, size / ours
        }'
    done
}

for form in session perf pprof; do
    "$build/bench/peers" $form "$work/$form" "$samples"
done
"$build/bench/peers" kallsyms "$work/kallsyms"
xenopreport --sort=symbol --width=0 --percent-limit=0
counts_xenopreport <"$work/ours" | head -n 10 | sort >"$work/hottest"
hottest=$(wc -l <"$work/hottest")
[ "$hottest" = 10 ] && hot=ok || hot="not ok"
say "$hot" "xenopreport has $hottest hottest functions"
# Some versions of go build it the first time.
! command -v go >/dev/null || go tool pprof -help >/dev/null 2>&1 || :

[ "$runs" = 0 ] || {
    echo "$samples samples, at most $runs turns"
    printf '%-37s %9s %10s %7s %6s %9s   %s\n' "" "CPU time" memory \
        "x time" goal "x memory" "x time of turns"
}
pair perf counts_perf 10 "perf report -g none --no-children" \
    --sort=symbol perf_report -g none --no-children --sort=sym
pair go counts_pprof 10 "go tool pprof -top" --sort=symbol pprof_top
pair perf counts_perf 30 "perf report -g caller --no-children" \
    --callgraph perf_report -g caller --no-children
pair perf counts_perf - "perf report -g" --callgraph perf_report -g
pair "perf stackcollapse-perf.pl flamegraph.pl" counts_folded - \
    "perf script, flamegraph.pl" --flamegraph="$work/picture" perl_graph
if [ ! -e "$work/text" ] && command -v perf >/dev/null; then
    perf_script || say "not ok" "perf script: $(tail -n 1 "$work/errors")"
fi
# The only one of perf's that says a chain's order.
[ ! -e "$work/text" ] || compare counts_script "perf script" "$work/text"
if have inferno perf inferno-collapse-perf inferno-flamegraph; then
    pair perf counts_folded 15 "inferno, of perf script's text" \
        --flamegraph="$work/picture" inferno_graph
fi
if [ "$runs" = 0 ]; then
    echo "1..$number"
else
    ! command -v zstd >/dev/null || zstd -q -3 "$work/perf" -o "$work/zstd"
    sizes
fi
exit $failed
