#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# A walk of each guest's stack gives the frames that the file has behind the line
# `expect`.
cd "$top_srcdir/tests/golden/unwind" || exit 1
program=$top_builddir/tests/golden/unwind-text
number=0 failed=0
for input in *.stack; do
    number=$((number + 1))
    wanted=$(sed '1,/^expect$/d' "$input")
    got=$("$program" <"$input" 2>&1)
    if [ "$got" = "$wanted" ]; then
        echo "ok $number - unwind: ${input%.stack}"
    else
        failed=1
        echo "not ok $number - unwind: ${input%.stack}"
        echo "# $program <$PWD/$input prints:"
        echo "$got" | sed 's/^/# /'
    fi
done
echo "1..$number"
exit $failed
