#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Golden reports.  report/NAME.session is a session as text (make-session.c);
# report/NAME.expected is a transcript: "$ command", what it wrote to standard
# output, what it wrote to standard error behind "! ", and its exit status if
# it is not 0 behind "= ".  Commands run where sessions/current is the session.
# v1/NAME is the same session in version 1 of the format, and v1/NAME.expected
# what is then printed, where that differs.  Where tests do a share of what they
# repeat (TEST_SHARE, tests/harness.h) that is less than half, it is left out.
#
#   report.sh            TAP: one case a transcript
#   report.sh --record   write the transcripts anew; look at git diff then
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=$(cd "${top_builddir:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=/dev/null
. "$here/../../report-program.sh"
export LC_ALL=C.UTF-8 golden="$here" make_session="$build/tests/golden/make-session" \
    program
unset COLUMNS LINES || true

for need in "$program" "$make_session"; do
    [ -x "$need" ] && continue
    echo "report.sh: $need is not there: run this in a build folder after" \
        "'make check TESTS=', or set top_builddir to one" >&2
    exit 1
done

# For commands.
xenopreport() {
    "$program" --session-dir=sessions "$@"
}

# Runs one command, $1, and prints it as a transcript has it.
run() {
    status=0
    (cd "$work" && eval "$1") >"$scratch/out" 2>"$scratch/err" </dev/null ||
        status=$?
    printf '$ %s\n' "$1"
    cat "$scratch/out"
    [ ! -s "$scratch/err" ] || sed 's/^/! /' "$scratch/err"
    [ $status = 0 ] || printf '= %s\n' "$status"
}

# The transcript of file $1, made again, of a session of version $2,
# or as it is written now.
transcript() {
    name=$(basename "$1" .expected)
    work=$scratch/work
    rm -rf "$work"
    mkdir -p "$work/sessions"
    if [ "$2" = 1 ]; then
        cp -R "$here/../v1/$name" "$work/sessions/current"
    elif [ -e "$here/$name.session" ]; then
        "$make_session" "$here/$name.session" "$work/sessions/current"
    fi
    grep '^\$ ' "$1" | sed 's/^\$ //' | while IFS= read -r command; do
        run "$command"
    done
}

# What sessions of version $2 print that $1 is about.
expected() {
    other=$here/../v1/$(basename "$1")
    if [ "$2" = 1 ] && [ -e "$other" ]; then echo "$other"; else echo "$1"; fi
}

if [ "${1:-}" = --record ]; then
    for file in ${GOLDEN:-"$here"/*.expected}; do
        transcript "$file" now >"$scratch/new"
        cp "$scratch/new" "$file"
    done
    exit 0
fi

number=0
check() {
    file=$(expected "$1" "$2")
    number=$((number + 1))
    name=$(basename "$file" .expected)
    [ "$2" = now ] || name="$name, version $2"
    transcript "$file" "$2" >"$scratch/new" 2>&1 || true
    if diff -u "$file" "$scratch/new" >"$scratch/diff"; then
        echo "ok $number - report $name"
    else
        echo "not ok $number - report $name"
        sed 's/^/# /' "$scratch/diff"
        echo "# $0 --record writes what is right now to $file"
    fi
}

for file in ${GOLDEN:-"$here"/*.expected}; do
    check "$file" now
    name=$(basename "$file" .expected)
    [ ! -d "$here/../v1/$name" ] || [ "${TEST_SHARE:-1}" -gt 2 ] ||
        check "$file" 1
done
echo "1..$number"
