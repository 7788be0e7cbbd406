# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Changes of the code that break what SECURITY.md promises, each of which a test must
# notice.

# Only with --long: it takes a quarter of an hour.
check_mutations() {
    local status=0
    [ "$level" = long ] || return 0
    say "changes that break a promise"
    tests/mutate >"$logs/mutate.tap" 2>"$logs/mutate.log" || status=$?
    count "changes that break a promise" $status "$logs/mutate.tap" \
        "$logs/mutate.log"
}
