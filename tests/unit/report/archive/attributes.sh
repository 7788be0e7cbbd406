#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# Each attribute of a session has a row that says what an anonymous copy says of it.
header=$top_srcdir/libxenoprof/session/session-attributes.h
rows=$top_srcdir/report/archive/attributes.def
known=$(grep -o '^#define SESSION_ATTRIBUTE_[A-Z_]*' "$header" | awk '{ print $2 }' |
        sort)
said=$(sed -n 's/^ANONYMOUS(\(SESSION_ATTRIBUTE_[A-Z_]*\),.*/\1/p' "$rows" | sort)
if [ -n "$known" ] && [ "$known" = "$said" ]; then
    echo "ok 1 - attributes have rows"
else
    echo "not ok 1 - attributes have rows"
    printf '%s\n%s\n' "$known" "$said" | sort | uniq -u | sed 's/^/# only in one: /'
fi
echo 1..1
