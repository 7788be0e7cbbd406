#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a session takes on disk: bytes for each sample of a mixed session of 60
# seconds, at 97 and at 997 Hz. Everything in its files counts.  Steps are what
# a reader takes for each of these bytes (libxenoprof/session/session-reader.h).
#
#   make bench/session-size && bench/session-size.sh [BUILD FOLDER]
#   bench/session-size SESSION        the same for a real session
#
# Exit status 1 if a sample takes more than 16 bytes at 97 Hz, or 7 at 997 Hz, or
# a byte more than 12 steps, the half of what is allowed.
set -eu
build=${1:-${top_builddir:-.}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%-8s %9s %9s %9s %9s %9s   %s\n' rate samples places stacks bytes steps \
    bound
for line in 97:16 997:7; do
    hz=${line%:*}
    # shellcheck disable=SC2046
    printf "%-8s %9d %9d %9d %9s %9s   at most ${line#*:}\n" "$hz Hz" \
        $("$build/bench/session-size" "$work/$hz" "$hz" 60)
done | tee "$work/table"
awk 'NR > 1 && ($6 > $10 || $7 > 12) { bad = 1; print "MORE than that at", $1, $2 }
    END { exit bad }' "$work/table"
