# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# What ./check says, and how it counts.

# say TIER: says that a tier begins; ends the tier before.
say() {
    tier_ended
    tier=$* tier_began=$SECONDS
    printf '\n== %s\n' "$tier"
}

tier='' tier_began=0 times=() parts=()
tier_ended() {
    [ -z "$tier" ] ||
        times+=("$(printf '%5d s  %s' $((SECONDS - tier_began)) "$tier")"
                "${parts[@]}")
    parts=()
}

# part SECONDS WHAT: notes a part of this tier's time, or a time that ran in the
# background of earlier tiers.
part() {
    parts+=("$(printf '%11d s  %s' "$1" "$2")")
}

# took WHAT NAME: the time of the command that was noted as NAME.
took() {
    part "$(cat "$logs/$2.seconds")" "$1"
}

passed=0 failed=0 skipped=0

# count NAME STATUS FILE [LOG...]: adds up a file of TAP lines, made by a
# command that ended with STATUS, and shows what failed.  A command that failed
# without a failed case, or ran no case, counts as a failed case: a test that
# crashes prints nothing.
count() {
    local name=$1 status=$2 tap=$3 good bad none
    shift 2
    good=$(grep -cE '^ok ' "$tap")
    none=$(grep -cE '^ok .*# SKIP' "$tap")
    bad=$(grep -cE '^not ok ' "$tap")
    [ "$bad" = 0 ] || grep -E -A3 '^not ok ' "$tap"
    grep -E '^ok .*\(second try\)' "$tap"
    if [ $((good + bad)) = 0 ] || { [ "$status" != 0 ] && [ "$bad" = 0 ]; }; then
        bad=$((bad + 1))
        printf 'not ok - %s: ended with %d; the last words:\n' "$name" "$status"
        tail -n 40 "$@"
    fi
    printf '%s: %d passed, %d failed, %d skipped\n' "$name" $((good - none)) \
        "$bad" "$none"
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

# note NAME COMMAND...: keeps its output and status in files of $logs.
note() {
    local name=$1 status=0 began=$SECONDS
    shift
    "$@" >"$logs/$name.said" 2>&1 || status=$?
    echo $((SECONDS - began)) >"$logs/$name.seconds"
    echo $status >"$logs/$name.status"
}

# noted NAME: prints that output again, and returns that status.
noted() {
    cat "$logs/$1.said"
    return "$(cat "$logs/$1.status")"
}

# Where the time went, and the last line that ./check prints.
summary() {
    say "all tiers, in $SECONDS seconds"
    echo "(indented: parts of a tier, or what went on behind the tiers before it)"
    printf '%s\n' "${times[@]}"
    if [ $skipped = 0 ]; then
        echo "$passed passed, $failed failed"
    else
        echo "$passed passed, $failed failed, $skipped skipped"
    fi
    [ $failed = 0 ] || exit 1
    rm -rf "$logs"
}
