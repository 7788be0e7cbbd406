#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sessions that are as much work as their bytes can be: xenopreport ends, within
# its memory and a generous time, with a report or one sentence.
#
#   hostile-session.sh [MIB [SECONDS [VIEW...]]]
#
# MIB of each session (HOSTILE_MIB, or 1; 0: a block of its kind), its seconds of
# CPU (60; a sanitizer takes many), and the views, options of xenopreport without
# their dashes (callgraph); "all": each of them.  KINDS in the environment: only
# these sessions, as "cells rows".  Where GNU time is installed, each line has
# seconds of CPU and MiB.  bench/README.md has the measure.
set -eu
build=${top_builddir:-.}
mib=${1:-${HOSTILE_MIB:-1}} seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
case ${*:-callgraph} in
all) set -- sort=symbol sort=entry json callgraph callers children why waits exits \
    symbol=f1 annotate=f1 folded flamegraph html ;;
callgraph) set -- callgraph ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0
timer=
if command time -f '' true 2>/dev/null; then
    timer="time -o $work/time -f %U:%S:%M"
fi

# Where memory has a limit, a sanitizer's allocator is to fail as others do, and to
# keep little of what was freed: the program ends if the sanitizer lacks memory itself.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=8
export ASAN_OPTIONS

# Whether a view of the session, $1, ends as it should.
ends() {
    code=0 out=$work/out
    rm -f "$work/page" "$work/time"
    case $1 in
    flamegraph | html) set -- "$1=$work/page" && out=$work/page ;;
    esac
    (
        ulimit -t "$seconds"
        # shellcheck disable=SC2086
        command $timer "$build/report/xenopreport" --memory=512M \
            --session="$work/session" "--$1"
    ) >"$work/out" 2>"$work/err" || code=$?
    case $code in
    0 | 32) [ -s "$out" ] ;; # 32: and a line for each of some damages
    *) [ "$code" -lt 128 ] && [ "$(wc -l <"$work/err")" = 1 ] &&
        grep -q '^xenopreport: ' "$work/err" ;;
    esac
}

# " (1.2 s, 34 MiB)"
cost() {
    if [ -s "$work/time" ]; then
        tail -n 1 "$work/time" |
            awk -F: '{ printf " (%.1f s, %.0f MiB)", $1 + $2, $3 / 1024 }'
    fi
}

# A sanitizer takes 24 seconds for rows, which are in test-session-load, with less
# allowed.
all_kinds() {
    "$build/bench/hostile-session" |
        if [ "$mib" = 0 ]; then grep -vx rows; else cat; fi
}

for kind in ${KINDS:-$(all_kinds)}; do
    rm -rf "$work/session"
    "$build/bench/hostile-session" "$work/session" "$kind" "$mib"
    for view; do
        number=$((number + 1))
        if ends "$view"; then
            echo "ok $number - $kind $view$(cost)"
        else
            failed=1
            echo "not ok $number - $kind $view$(cost)"
            echo "# exit status $code: $(head -c 200 "$work/err")"
        fi
    done
done
echo "1..$number"
exit $failed
