#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What xenopreport --export writes is read by it as a session again, with the same
# stacks and their time: to the ns, but for what rounding leaves of samples that are
# told apart by more labels there. Time of domains that are not profiled has a frame.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=$(cd "${top_builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$here/tests/report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8 TMPDIR="$scratch"
number=0

# SESSION FORMAT: perf's words have no blanks, and it knows no code without an image.
check_session() {
    "$program" --session="$scratch/$1/" --folded >"$scratch/before"
    "$program" --session="$scratch/$1/" --export="$2:$scratch/export" 2>"$scratch/said"
    "$program" --session="$scratch/export" --folded >"$scratch/after"
    number=$((number + 1))
    if awk '
        function stack_of(line) {
            sub(/ [0-9]+$/, "", line)
            sub(/^other;\[not profiled\]$/, "other", line)
            return line
        }
        NR == FNR { before[stack_of($0)] += $NF; next }
        { after[stack_of($0)] += $NF }
        END {
            for (stack in before) {
                apart = before[stack] - after[stack]
                if (!(stack in after) || apart > 10 || apart < -10) {
                    print "# " stack ": " before[stack] ", then " after[stack] + 0
                    wrong = 1
                }
            }
            for (stack in after)
                if (!(stack in before)) {
                    print "# " stack ": only then"
                    wrong = 1
                }
            exit wrong || !length(before)
        }' "$scratch/before" "$scratch/after" >"$scratch/apart"; then
        echo "ok $number - $1, $2"
    else
        echo "not ok $number - $1, $2"
        cat "$scratch/apart"
    fi
}

for session in basic callgraph chains entry expired lines nameless origins threads why; do
    "$build/tests/golden/make-session" \
        "$here/tests/golden/report/$session.session" "$scratch/$session/"
    check_session "$session" pprof
done
for session in basic entry expired lines origins threads; do
    check_session "$session" perf
done
echo "1..$number"
