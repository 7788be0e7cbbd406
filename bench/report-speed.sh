#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU seconds and memory that the text views of xenopreport take for 1 M and for
# 10 M samples with the same number of distinct call chains.
#
#   make bench/stack-session && bench/report-speed.sh [BUILD FOLDER]
#
# Exit status 1 if a view of the first session takes a second or more, or if
# ten times the samples take more than 12 times as long, or more than twice the
# memory.  STACKS and SAMPLES in the environment change the numbers of chains and
# samples, 100000 and 1000000.
set -eu
build=${1:-${top_builddir:-.}}
stacks=${STACKS:-100000} samples=${SAMPLES:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds and KB of one view of one session
measure() {
    session=$1
    shift
    command time -o "$work/time" -f '%U %S %M' taskset -c 0 \
        "$build/report/xenopreport" --session="$work/$session" "$@" \
        >"$work/out"
    awk '{ print $1 + $2, $3 }' "$work/time"
}

"$build/bench/stack-session" "$work/few" "$stacks" "$samples"
"$build/bench/stack-session" "$work/many" "$stacks" $((10 * samples))
printf '%-12s %10s %10s %8s %10s %10s\n' view "$samples" "$((10 * samples))" \
    ratio memory memory
for view in --sort=symbol --callgraph --callers --children --folded --json \
    '--json --stacks'; do
    # shellcheck disable=SC2086
    set -- $view
    echo "$view:$(measure few "$@") $(measure many "$@")"
done | awk -F'[: ]+' -v limit=1 '
    {
        n = NF
        view = $1 ($2 ~ /^--/ ? " " $2 : "")
        printf "%-12.12s %8.2f s %8.2f s %8.1f %7.0f MB %7.0f MB\n", \
            substr(view, 3), $(n - 3), $(n - 1), $(n - 1) / $(n - 3), \
            $(n - 2) / 1024, $n / 1024
        if ($(n - 3) >= limit || $(n - 1) > 12 * $(n - 3) || \
            $n > 2 * $(n - 2)) {
            print "too much: " view
            bad = 1
        }
    }
    END { exit bad }'
