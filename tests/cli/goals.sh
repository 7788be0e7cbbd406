#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bench/goals.sh ends with 1 where a bound is missed or a row fails, and its last
# line says which.
set -u
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# table_says NAME STATUS LAST-LINE ROW...
table_says() {
    local status=0
    printf '%s\n' "== instructions" "${@:4}" >"$work/table"
    TABLE=$work/table "$here/bench/goals.sh" "${top_builddir:-.}" \
        instructions >"$work/said" 2>&1 || status=$?
    number=$((number + 1))
    if [ $status = "$2" ] && [ "$(tail -n 1 "$work/said")" = "$3" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        sed 's/^/# /' "$work/said"
        failed=1
    fi
}

low="low | MB<=2 | said '{ print }' echo 1.5"
table_says "bounds that hold" 0 "0 of 1 goals are met.  All 3 bounds hold." \
    "$low" "both | s<=7/3 x>=2 | said '{ print \$1, \$2 }' echo 4 2.5"
table_says "a bound missed from above" 1 "1 of 1 goals are met.  Missed: high." \
    "$low" "high | MB<=3 s<=1/1 | said '{ print }' echo 3.1 1"
table_says "a bound missed from below" 1 "0 of 0 goals are met.  Missed: few; no." \
    "few | x>=10 | said '{ print }' echo 9.9" "$low" \
    "no | x>=1 | said '{ print }' echo 0"
table_says "a command that fails" 1 "0 of 0 goals are met.  Missed: bad." \
    "bad | x>=1 | said '{ print }' sh -c 'echo 7; exit 3'" "$low"
table_says "a figure that is missing" 1 "0 of 0 goals are met.  Missed: none." \
    "none | x>=1 | said '/y/ { print }' echo 7"
table_says "a tool that is not installed" 0 "0 of 0 goals are met.  All 0 bounds hold." \
    "absent | x>=1 | said '{ print }' no-such-tool"
grep -q '^absent  *no no-such-tool$' "$work/said" && also=ok || also="not ok"
[ "$also" = ok ] || failed=1
echo "$also $((number + 1)) - it is named"
echo "1..$((number + 1))"
exit $failed
