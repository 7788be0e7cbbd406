# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# What ./check tells, and how it counts.

say() {
    printf '\n== %s\n' "$*"
}

passed=0 failed=0 skipped=0

# count NAME FILE: adds up a file of TAP lines and shows what failed.
count() {
    local good bad none
    good=$(grep -cE '^ok ' "$2")
    none=$(grep -cE '^ok .*# SKIP' "$2")
    bad=$(grep -cE '^not ok ' "$2")
    printf '%s: %d passed, %d failed, %d skipped\n' "$1" $((good - none)) \
        "$bad" "$none"
    [ "$bad" = 0 ] || grep -E -A3 '^not ok ' "$2"
    passed=$((passed + good - none)) failed=$((failed + bad))
    skipped=$((skipped + none))
}

# case_of NAME COMMAND...: one test case; its output is shown if it fails.
case_of() {
    local name=$1 log=$logs/${1//[^A-Za-z0-9]/-}.log
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        printf 'ok - %s\n' "$name"
    else
        failed=$((failed + 1))
        printf 'not ok - %s\n' "$name"
        tail -n 40 "$log"
    fi
}

# The last line that ./check prints.
summary() {
    say "all tiers"
    if [ $skipped = 0 ]; then
        echo "$passed passed, $failed failed"
    else
        echo "$passed passed, $failed failed, $skipped skipped"
    fi
    [ $failed = 0 ] || exit 1
    rm -rf "$logs"
}
