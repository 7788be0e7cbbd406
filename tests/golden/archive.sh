#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each golden session is archived: reports of the archive, which is one file
# elsewhere, are to the byte those of the session; reports of a part of its time
# are those with --filter=time=.  TAP: a case a session.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=$(cd "${top_builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$here/../../report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8
unset COLUMNS LINES || true
mkdir "$scratch/session" "$scratch/archive"
number=0 failed=0

# NAME STATUS: a case, which $scratch/problems is about.
case_ends() {
    number=$((number + 1))
    if [ "$2" = 0 ]; then
        echo "ok $number - $1"
        return
    fi
    failed=1
    echo "not ok $number - $1"
    sed 's/^/# /' "$scratch/problems"
}

# What is said of a session that was not closed is of its folder: whether more
# is written there.
plain() {
    sed -e "s|$scratch/[a-z]*/||" -e 's/"state": "[a-z]*"/"state": "open"/' \
        -e 's/not closed: .* sample \(after \)*/still open, /' \
        -e 's/still open, 20[^,]*, /still open, /'
}

# Reports of session, and of archive: the same.
same() {
    for place in session archive; do
        status=0
        "$program" --session-dir="$scratch/$place" --width=0 "$@" 2>&1 \
            </dev/null | plain >"$scratch/$place.out" || status=$?
    done
    cmp -s "$scratch/session.out" "$scratch/archive.out" && return
    {
        echo "xenopreport $*"
        diff "$scratch/session.out" "$scratch/archive.out" | head -20
    } >>"$scratch/problems"
    return 1
}

# What is said of all samples, or of the filter, is another thing; and if no chain
# of that time has callers, none is said to lack some.
shares() {
    sed -E '/^(session|samples|lost|missed|filter|chains|trust|stopped) /d
        s/, (no|[0-9.]+%) .*chains.*//; s/\[(guest moved|truncated)\];//
        s/within [0-9.]* points//' | sort
}

# The same of a part of session's time.
same_part() {
    range=$1
    shift
    "$program" --session-dir="$scratch/session" --width=0 "$@" \
        --filter=time="$range" 2>/dev/null | shares >"$scratch/session.out"
    "$program" --session-dir="$scratch/archive" --width=0 "$@" \
        2>/dev/null | shares >"$scratch/archive.out"
    # Nothing is of that time.
    [ -s "$scratch/session.out" ] || return 0
    cmp -s "$scratch/session.out" "$scratch/archive.out" && return
    {
        echo "xenopreport $*"
        diff "$scratch/session.out" "$scratch/archive.out" | head -20
    } >>"$scratch/problems"
    return 1
}

archive() {
    "$program" --session-dir="$scratch/session" \
        --archive="$scratch/archive/current" "$@" >"$scratch/said" 2>&1
}

begin() {
    rm -rf "$scratch/session/current" "$scratch/archive/current"
    : >"$scratch/problems"
    "$build/tests/golden/make-session" "$1" "$scratch/session/current"
}

for file in "$here"/*.session; do
    name=$(basename "$file" .session)
    begin "$file"
    bad=0
    if archive; then
        for view in "--json --stacks --sort=vcpu,pcpu,comm,tid,exe,unit" \
            "--header --callgraph" --why --waits --exits --folded --addresses \
            "--json --event=waiting"; do
            # shellcheck disable=SC2086
            same $view || bad=1
        done
    else
        cat "$scratch/said" >>"$scratch/problems"
        bad=1
    fi
    case_ends "archive of $name" $bad
done
# A part of its time.
for file in "$here"/*.session; do
    name=$(basename "$file" .session)
    # Its samples are of a time of which Xen says nothing, after its end.
    [ "$name" != json-moved ] || continue
    for range in 1..3 0.7..1.9 2..; do
        begin "$file"
        bad=0
        archive --filter=time=$range || bad=1
        [ $bad = 0 ] || cat "$scratch/said" >>"$scratch/problems"
        for view in "--table --no-header --sort=domain,vcpu,mode,symbol" \
            "--folded" --exits --waits; do
            # shellcheck disable=SC2086
            [ $bad = 1 ] || same_part $range $view || bad=1
        done
        case_ends "$range of $name" $bad
    done
done
# Sessions of simulated hosts (tests/README.md), of many samples.  Waits are in
# units of 100 us, so shares of a part of the time are a hundredth of a point apart.
percents() {
    "$program" --session-dir="$scratch/$1" --table --width=0 --percent-limit=0 \
        --sort=domain,mode,symbol "$2" 2>/dev/null |
        sed -n 's/^ *\([0-9.]*\)% *[0-9]* *[0-9.]* s */\1 /p'
}

near() {
    awk 'NR == FNR { share = $1; $1 = ""; shares[$0] = share; next }
        { share = $1; $1 = ""; off = share - shares[$0]; delete shares[$0]
          rows++
          if ( off > 0.1 || off < -0.1 )
              print "off by", off ":" $0 }
        END { for ( row in shares ) if ( shares[row] > 0.1 ) print "none of" row
              if ( rows < 10 ) print rows + 0, "rows" }' \
        "$scratch/session.out" "$scratch/archive.out" >>"$scratch/problems"
    [ ! -s "$scratch/problems" ]
}

for seed in 1 2 3; do
    rm -rf "$scratch/session/current" "$scratch/archive/current" "$scratch/truth"
    : >"$scratch/problems"
    "$build/tests/truth/make-truth" $seed "$scratch/truth" >/dev/null
    mv "$(dirname "$(find "$scratch/truth" -name DATA.0000)")" \
        "$scratch/session/current"
    bad=0
    archive || bad=1
    for view in "--json --stacks --sort=vcpu,comm" --waits --folded; do
        # shellcheck disable=SC2086
        [ $bad = 1 ] || same $view || bad=1
    done
    case_ends "archive of simulated host $seed" $bad
    archive --filter=time=1.3..3.7 || bad=1
    percents session --filter=time=1.3..3.7 >"$scratch/session.out"
    percents archive --no-header >"$scratch/archive.out"
    near || bad=1
    case_ends "1.3..3.7 of simulated host $seed" $bad
done
echo "1..$number"
exit $failed
