#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events of ten processors by libpfm's names: what xenopctl asks the module for,
# and what it makes of that (event-lines.c).  event-lines.expected has them with
# what they were asked by, as libpfm 4.13.0 knows them.
#
#   event-lines.sh            TAP: one case a processor
#   event-lines.sh --record   write the file anew; look at git diff then
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden
program=${top_builddir:-.}/tests/golden/event-lines
export LIBPFM_ENCODE_INACTIVE=1 LC_ALL=C

# asked [TABLE]: the events in the file.
asked() {
    grep "^${1:-[^ #][^ #]*} " "$here/event-lines.expected"
}

if [ "${1-}" = --record ]; then
    lines=$(grep '^#' "$here/event-lines.expected" && asked | "$program")
    printf '%s\n' "$lines" >"$here/event-lines.expected"
    exit
fi
if echo 'skl INST_RETIRED' | "$program" | grep -q 'is built with libpfm'; then
    echo "1..0 # SKIP this build has no libpfm"
    exit
fi
number=0 failed=0

# Whether libpfm knows the processor that this runs on is nothing to compare.
anywhere() { sed 's/; libpfm does not know this processor, so only codes (rHEX) go beyond them//'; }

for table in $(asked | cut -d' ' -f1 | uniq); do
    number=$((number + 1))
    wanted=$(awk -v table="$table" '/^[^ ]/ { on = $1 == table } on' \
        "$here/event-lines.expected")
    got=$(asked "$table" | "$program" 2>&1 | anywhere) || :
    if [ "$got" = "$wanted" ]; then
        echo "ok $number - event lines: $table"
    else
        failed=1
        echo "not ok $number - event lines: $table"
        printf '%s\n' "$wanted" >"event-lines-$table.wanted"
        printf '%s\n' "$got" | diff "event-lines-$table.wanted" - | sed 's/^/# /'
        rm -f "event-lines-$table.wanted"
    fi
done
echo "1..$number"
exit $failed
