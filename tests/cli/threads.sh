#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each view of a session is the same, however many threads read it.
#
#   threads.sh [SESSION]     of this one instead of a made-up one
set -eu
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests
build=$(cd "${top_builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$here/report-program.sh"
work=$(scratch_folder)
trap 'rm -rf "$work"' EXIT
session=${1:-$work/session}
number=0 failed=0

# Prints a view, the options from $3 on, with $1 threads into $2.
view() {
    threads=$1 to=$2
    shift 2
    "$program" --session="$session" --threads="$threads" \
        "$@" >"$to" 2>"$to.err" || echo "exit status $?" >>"$to"
    cat "$to.err" >>"$to"
}

[ $# -gt 0 ] || "$build/bench/session-size" "$session" 997 6 >"$work/made" 2>&1
while read -r options; do
    number=$((number + 1)) result=ok
    # shellcheck disable=SC2086
    set -- $options
    view 1 "$work/one" "$@"
    # A session of somebody's may lack what a view asks for; the made-up one has it.
    if [ "$session" = "$work/session" ] && grep '^exit status' "$work/one"; then
        result="not ok" failed=1
    fi
    for threads in 2 5; do
        view $threads "$work/more" "$@"
        if ! cmp -s "$work/one" "$work/more"; then
            result="not ok" failed=1
            diff "$work/one" "$work/more" | sed -n '1,6s/^/# /p'
        fi
    done
    echo "$result $number - $options"
done <<'VIEWS'
--header
--table
--sort=symbol
--sort=entry,vcpu,pcpu
--callgraph
--callgraph --sort=symbol,address
--callgraph --filter=time=2..4
--callers
--children
--folded
--json
--json --stacks
--why
--symbol=sub_0
--flamegraph=/dev/stdout
--html=/dev/stdout
VIEWS
echo "1..$number"
exit $failed
