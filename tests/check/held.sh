# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Ten million overflows whose handlers are held up.

# Only with --long: it takes a minute.  make check has sixty thousand.
check_held() {
    local status=0
    [ "$level" = long ] || return 0
    say "overflows whose handlers are held up"
    XENOPROF_OVERFLOWS=10000000 \
        build-gcc/tests/unit/hypervisor/pmu/test-pmu-held >"$logs/held.tap" \
        2>"$logs/held.log" || status=$?
    grep -E '^# .*overflows' "$logs/held.tap"
    count "overflows whose handlers are held up" $status "$logs/held.tap" \
        "$logs/held.log"
}
