# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Reports of a thousand sessions of which the truth is known.

# Only with --long: it takes some minutes.  make check has forty of them.
check_truth() {
    local status=0
    [ "$level" = long ] || return 0
    say "sessions of which the truth is known"
    top_builddir=build-gcc tests/truth/truth.sh 0 1000 >"$logs/truth.tap" \
        2>"$logs/truth.log" || status=$?
    grep -E '^#  ' "$logs/truth.tap"
    count "sessions of which the truth is known" $status "$logs/truth.tap" \
        "$logs/truth.log"
}
