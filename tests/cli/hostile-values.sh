#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sessions with right lengths and checksums whose numbers, tables and blocks no
# writer makes (edit-session): each view ends, with a report or one sentence, in its
# memory and a few seconds.
#
#   hostile-values.sh [FIRST [COUNT]]    of these seeds
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=$(cd "${top_builddir:-.}" && pwd)
first=${1:-1} count=${2:-$((60 / ${TEST_SHARE:-1}))}
# shellcheck source=/dev/null
. "$here/../../report-program.sh"
work=$(scratch_folder)
trap 'rm -rf "$work"' EXIT

# A sanitizer's allocator is to fail as others do, and to keep little of what was
# freed: it needs memory itself.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=8
export ASAN_OPTIONS

# Sessions that have each table between them.
set -- waits threads origins types spooled traces entry callgraph
for name; do
    "$build/tests/golden/make-session" "$here/$name.session" "$work/$name"
done

# Whether a view of the session, $1 and more, ends as it should.
ends() {
    code=0
    (ulimit -t 20 && exec "$program" --memory=512M --session="$work/session" "$@") \
        >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -lt 124 ] || return 1
    # Most say nothing: no program is started to look at that.
    if [ -s "$work/err" ]; then
        ! grep -q 'Sanitizer\|runtime error' "$work/err" || return 1
    fi
    if [ "$code" = 0 ]; then
        [ -s "$work/out" ]
    elif [ "$code" = 32 ]; then # a line for each damage, and for what is missing
        ! grep -qv '^xenopreport: ' "$work/err"
    else
        [ "$(wc -l <"$work/err")" = 1 ] && grep -q '^xenopreport: ' "$work/err"
    fi
}

echo "1..$count"
failed=0 seed=$first
while [ "$seed" -lt $((first + count)) ]; do
    name=$1 result=ok
    shift
    set -- "$@" "$name"
    rm -rf "$work/session"
    "$build/tests/golden/edit-session" "$work/$name" "$work/session" "$seed" \
        >"$work/edits"
    for view in --header --table --sort=entry,vcpu,comm --callgraph --callers \
        --children --why --waits --exits --folded '--json --stacks' \
        '--json --waits' --brief-json '--symbol=* --last=1s' --flamegraph=- \
        --html=- '--filter=time=0.5..1.5'; do
        # shellcheck disable=SC2086
        if ! ends $view; then
            [ "$result" = ok ] && sed 's/^/# /' "$work/edits" | head -n 30
            result="not ok" failed=1
            echo "# $view: exit status $code: $(head -c 600 "$work/err")" | tr '\n' ' '
            echo
        fi
    done
    echo "$result $((seed - first + 1)) - seed $seed, $name: $(wc -l <"$work/edits") edits"
    seed=$((seed + 1))
done
exit $failed
