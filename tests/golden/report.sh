#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Golden reports.  report/NAME.session is a session as text (make-session.c);
# report/NAME.expected is a transcript: "$ command", what it wrote to standard
# output, what it wrote to standard error behind "! ", and its exit status if
# it is not 0 behind "= ".  Commands run where sessions/current is the session.
#
#   report.sh            TAP: one case a transcript
#   report.sh --record   write the transcripts anew; look at git diff then
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=$(cd "${top_builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$here/../../report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
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

# The transcript of file $1, made again.
transcript() {
    name=$(basename "$1" .expected)
    work=$scratch/work
    rm -rf "$work"
    mkdir -p "$work/sessions"
    if [ -e "$here/$name.session" ]; then
        "$make_session" "$here/$name.session" "$work/sessions/current"
    fi
    grep '^\$ ' "$1" | sed 's/^\$ //' | while IFS= read -r command; do
        run "$command"
    done
}

if [ "${1:-}" = --record ]; then
    for file in ${GOLDEN:-"$here"/*.expected}; do
        transcript "$file" >"$scratch/new"
        cp "$scratch/new" "$file"
    done
    exit 0
fi

number=0
for file in ${GOLDEN:-"$here"/*.expected}; do
    number=$((number + 1))
    name=$(basename "$file" .expected)
    transcript "$file" >"$scratch/new" 2>&1 || true
    if diff -u "$file" "$scratch/new" >"$scratch/diff"; then
        echo "ok $number - report $name"
    else
        echo "not ok $number - report $name"
        sed 's/^/# /' "$scratch/diff"
        echo "# $0 --record writes what is right now to $file"
    fi
done
echo "1..$number"
