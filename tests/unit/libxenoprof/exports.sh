#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# The library's header declares what its map exports, the library has, and Debian's
# list of symbols names.
header=$top_srcdir/libxenoprof/libxenoprof.h
map=$top_srcdir/libxenoprof/libxenoprof.map
library=$top_builddir/libxenoprof/.libs/libxenoprof.so
symbols=$top_srcdir/debian/libxenoprof0.symbols
number=0 failed=0

# TITLE WANTED GOT
same() {
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
        return
    fi
    failed=1
    echo "not ok $number - $1"
    printf '%s\n%s\n' "$2" "$3" | sort | uniq -u | sed 's/^/# only in one: /'
}

declared=$(sed 's|/\*.*||; /^ \*/d' "$header" |
           grep -o '\<xenoprof_[a-z0-9_]*(' | tr -d '(' | sort -u)
exported=$(grep -o '\<xenoprof_[a-z0-9_]*' "$map" | sort -u)
same "the map has what the header declares" "$declared" "$exported"
same "Debian's package has it with a version" "$declared" \
    "$(sed -n 's/^ \(xenoprof_[a-z0-9_]*\)@.*/\1/p' "$symbols" | sort -u)"
if [ -f "$library" ]; then
    defined=$(nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' |
              sed 's/@.*//' | sort -u)
    same "the library exports it, and nothing else" "$declared" "$defined"
fi
echo "1..$number"
exit $failed
