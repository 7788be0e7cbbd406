#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The pictures of doc/reasons.md: each reason that xenopreport knows has one stack
# in them, each stack has its reason, and each picture is in the page.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
stacks=$top/doc/pictures/reasons.stacks
status=0

# ok WHAT COMMAND...
number=0
ok() {
    number=$((number + 1))
    what=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        echo "ok $number - $what"
    else
        echo "not ok $number - $what"
        sed 's/^/# /' "$work/said"
        status=1
    fi
}

{
    echo none
    sed -n 's/^REASON(\([a-z0-9_]*\),.*/\1/p' "$top/report/why/reasons.def"
} | sort >"$work/known"
sed -n '/^#/d; s/^\([a-z0-9_]*\) = .*/\1/p' "$stacks" | sort >"$work/drawn"
ok "each reason has a stack, and one only" diff "$work/known" "$work/drawn"

# Each picture is there, and the page shows it.
shown() {
    for name in $(sed -n 's/^picture \([a-z0-9-]*\) .*/\1/p' "$stacks"); do
        picture=pictures/reasons-$name.svg
        [ -s "$top/doc/$picture" ] || echo "run make-reasons: no $picture"
        grep -qF "($picture)" "$top/doc/reasons.md" || echo "$picture is not shown"
    done >"$work/missing"
    cat "$work/missing"
    [ ! -s "$work/missing" ]
}
ok "doc/reasons.md has each picture" shown
ok "each stack has its reason" "$top/doc/pictures/make-reasons" "$build" "$work"
echo "1..$number"
exit $status
