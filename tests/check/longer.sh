# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Tests that do more of the same with --long, where it takes minutes.

# longer WHAT NAME=VALUE TEST: a program of tests/unit.
longer() {
    local status=0 name=${3##*/}
    say "$1"
    env "$2" "build-gcc/tests/unit/$3" >"$logs/$name.tap" 2>"$logs/$name.log" ||
        status=$?
    grep '^# ' "$logs/$name.tap"
    count "$1" $status "$logs/$name.tap" "$logs/$name.log"
}

check_longer() {
    [ "$level" = long ] || return 0
    longer "overflows whose handlers are held up" XENOPROF_OVERFLOWS=10000000 \
        hypervisor/pmu/test-pmu-held
    longer "ten minutes of honest guests beside a hostile one" BESIDE=600 \
        daemon/guests/test-beside-hostile
}
