#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which libraries our programs are linked to.  These were chosen on purpose, and
# must not be replaced by code of our own.
# shellcheck disable=SC2154
count=0 failed=0

# FILE LIBRARY...: it needs each of them.
needs() {
    file=$top_builddir/$1
    # libtool leaves a script in the place of a program that is not installed.
    [ ! -f "${file%/*}/.libs/${file##*/}" ] || file=${file%/*}/.libs/${file##*/}
    shift
    [ -f "$file" ] || return 0
    needed=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    for library in "$@"; do
        count=$((count + 1))
        case $needed in
        *"$library"[-.]*) echo "ok $count - ${file##*/} is linked to $library" ;;
        *)
            failed=1
            echo "not ok $count - ${file##*/} is linked to $library"
            echo "$needed" | sed 's/^/# it needs /'
            ;;
        esac
    done
}

needs libxenoprof/libxenoprof.so libbfd libzstd
needs report/xenopreport libxenoprof libpopt libncursesw
needs xenopctl libxenoprof libpopt libxenctrl libxenhypfs
# It has libxenoprof in itself, as opagent has, whose code reads guest roots: what is
# not in the library's interface reads symbols.
if [ "$(sed -n 's/^CURL_LIBS = //p' "$top_builddir/Makefile")" ]; then
    needs xenoprof-push libcurl libz libseccomp
fi
needs xenoprofd libbfd libpopt libxenctrl libxenevtchn libxenforeignmemory
echo "1..$count"
exit $failed
