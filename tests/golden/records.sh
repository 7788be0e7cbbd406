#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# Each file of records, read and printed again, is what it was, but for its
# comments; a file that ends in .in is printed as the .out beside it.
cd "$top_srcdir/tests/golden/records" || exit 1
program=$top_builddir/tests/golden/record-text
number=0 failed=0
for input in *.rec *.in; do
    number=$((number + 1))
    case $input in
    *.in) wanted=$(cat "${input%.in}.out") ;;
    *) wanted=$(grep -v '^#' "$input") ;;
    esac
    got=$("$program" <"$input" 2>&1)
    if [ "$got" = "$wanted" ]; then
        echo "ok $number - records: $input"
    else
        failed=1
        echo "not ok $number - records: $input"
        echo "# $program <$PWD/$input prints:"
        echo "$got" | sed 's/^/# /'
    fi
done
echo "1..$number"
exit $failed
