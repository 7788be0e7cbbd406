# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# TAP on stdout, words for people on stderr.

cases=0 failures=0

say() {
    echo "tests/lab/run: $*" >&2
}

die() {
    say "$*"
    exit 2
}

# tap ok|not WHAT: one case.
tap() {
    cases=$((cases + 1))
    if [ "$1" = ok ]; then
        echo "ok $cases - $2"
    else
        failures=$((failures + 1))
        echo "not ok $cases - $2"
    fi
}

# Lines of stdin, as TAP's remarks.
remark() {
    sed 's/^/#   /'
}

open_logs() {
    temporary=
    if [ -z "$out" ]; then
        out=$(mktemp -d "${TMPDIR:-/tmp}/xenoprof-lab-tests.XXXXXX")
        temporary=yes
    fi
    mkdir -p "$out"
    out=$(cd "$out" && pwd)
}

# A run without any scenario did not pass.
finish() {
    [ -n "$list" ] || echo "1..$cases"
    [ $cases -gt 0 ] || die "nothing to run: no scenario fits the options."
    if [ $failures -gt 0 ]; then
        echo "# the logs are in $out"
        exit 1
    fi
    [ -z "$temporary" ] || rm -rf "$out"
}
