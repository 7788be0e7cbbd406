# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Checks. A failed check says what was found and what was wanted, and ends the
# scenario.

fail() {
    echo "FAILED: $*"
    exit 1
}

# fall_short WORDS: an amount, or a time, that an emulator may miss once. The
# runner tries such a scenario a second time (run-verdict.sh).
fall_short() {
    echo "FAILED by amount: $*"
    exit 1
}

# try COMMAND...: sets $said (both streams) and $status.
try() {
    status=0
    said=$("$@" 2>&1) || status=$?
}

must() {
    try "$@"
    [ $status = 0 ] || fail "'$*' ended with status $status and said: $said"
}

# refused STATUS PATTERN COMMAND...: fails with just that exit status and one
# sentence that has the (extended) pattern in it.
refused() {
    local wanted=$1 pattern=$2
    shift 2
    try "$@"
    [ $status = "$wanted" ] ||
        fail "'$*' ended with status $status, not $wanted; it said: $said"
    [ "$(echo "$said" | wc -l)" = 1 ] ||
        fail "'$*' should say one sentence; it said: $said"
    echo "$said" | grep -qE -e "$pattern" ||
        fail "'$*' should say something like '$pattern'; it said: $said"
}

# says PATTERN: the output of the last `try` has it.
says() {
    echo "$said" | grep -qE -e "$1" ||
        fail "there is no '$1' in what it said: $said"
}

# equal WHAT FOUND WANTED
equal() {
    [ "$2" = "$3" ] || fail "$1: found '$2', wanted '$3'"
}

# at_least WHAT FOUND WANTED, numbers
at_least() {
    [ "$2" -ge "$3" ] || fall_short "$1: found $2, wanted at least $3"
}

at_most() {
    [ "$2" -le "$3" ] || fall_short "$1: found $2, wanted at most $3"
}

# holds LIMIT COMMAND...: succeeds as soon as COMMAND does; fails after LIMIT
# seconds. What COMMAND last printed is in $last_words.
holds() {
    local end
    end=$(($(date +%s) + $1))
    last_words=/tmp/last-words.$$
    shift
    until "$@" >$last_words 2>&1; do
        [ "$(date +%s)" -lt $end ] || return 1
        sleep 0.1
    done
}

# wait_for LIMIT WHAT COMMAND...
wait_for() {
    local limit=$1 what=$2
    shift 2
    holds "$limit" "$@" || fall_short "waited $limit s for $what, and it did not come" \
        "($(tail -n 3 $last_words | tr '\n' ' '))"
}

# repeats ORDINARY LONG: how often something is repeated; LONG under --long.
repeats() {
    if [ -e /tests/long ]; then echo "$2"; else echo "$1"; fi
}

# For wait_for.
not() {
    ! "$@"
}
