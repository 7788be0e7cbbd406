#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sessions that are as much work as their bytes can be: xenopreport ends, within
# its memory and a generous time, with a report or one sentence.
#
#   hostile-session.sh [MIB [SECONDS]]
#
# MIB of each session (2) and its seconds of CPU (60; a sanitizer takes many).
# bench/README.md has the measure.
set -eu
build=${top_builddir:-.}
mib=${1:-2} seconds=${2:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# Where memory has a limit, a sanitizer's allocator is to fail as others do.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1
export ASAN_OPTIONS

# Whether a session of this kind ends as it should.
ends() {
    code=0
    rm -rf "$work/session"
    "$build/bench/hostile-session" "$work/session" "$1" "$mib"
    (
        ulimit -t "$seconds"
        exec "$build/report/xenopreport" --memory=512M \
            --session="$work/session" --callgraph
    ) >"$work/out" 2>"$work/err" || code=$?
    case $code in
    0 | 32) [ -s "$work/out" ] ;; # 32: and a line for each of some damages
    *) [ "$code" -lt 128 ] && [ "$(wc -l <"$work/err")" = 1 ] &&
        grep -q '^xenopreport: ' "$work/err" ;;
    esac
}

kinds=$("$build/bench/hostile-session")
for kind in $kinds; do
    number=$((number + 1))
    if ends "$kind"; then
        echo "ok $number - $kind"
    else
        failed=1
        echo "not ok $number - $kind"
        echo "# exit status $code: $(head -c 200 "$work/err")"
    fi
done
echo "1..$number"
exit $failed
