#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xenopreport's exit statuses are listed twice: for the compiler in
# base/exit-status.def, for people in the man page.  They must agree.
set -eu

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sed -n 's/^EXIT_STATUS(\([0-9]*\), [A-Z_]*, \(BOTH\|REPORT\), "\(.*\)")$/\1 \3/p' \
    "$top/base/exit-status.def" >"$scratch/def"
awk '/^\.SH/ { inside = ($0 == ".SH EXIT STATUS") }
     inside && /^\.B [0-9]+$/ { number = $2; getline; print number, $0 }' \
    "$top/man/xenopreport.1" >"$scratch/man"

echo 1..1
if [ -s "$scratch/def" ] && diff -u "$scratch/def" "$scratch/man" \
    >"$scratch/diff"; then
    echo "ok 1 - xenopreport(1) lists the exit statuses"
else
    echo "not ok 1 - xenopreport(1) lists the exit statuses"
    sed 's/^/# /' "$scratch/diff"
fi
