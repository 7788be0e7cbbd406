#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A session of what perf records here, as a host would have it, without names and by
# another clock: --merge of the same perf.data gives each function of each program as
# many samples as perf does.
# Skipped where there is no perf, or it may not record.
# shellcheck disable=SC2154
set -eu
build=$(cd "${top_builddir:-.}" && pwd)
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=/dev/null
. "$here/tests/report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C PERF_CONFIG=/dev/null TMPDIR="$scratch"
count=0 failed=0

work='dd if=/dev/zero bs=64k count=2000 2>/dev/null | sort -n | wc -c >/dev/null
    i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'

if ! perf record -q -e cpu-clock -F 397 -g --sample-cpu -o "$scratch/data" sh -c "$work" \
    >"$scratch/said" 2>&1; then
    echo "1..0 # SKIP perf cannot record here: $(head -1 "$scratch/said")"
    exit 0
fi

# Says whether what came before was right.
check() {
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
        return
    fi
    failed=1
    echo "not ok $count - $2"
    sed 's/^/# /' "$scratch/out" "$scratch/errors" | head -20
}

# COMM PID TID CPU TIME ADDRESS SYMBOL of samples of a process's code, as many as
# make-session has labels for.
perf script -i "$scratch/data" --no-demangle -G --ns \
    -F comm,pid,tid,cpu,time,ip,sym 2>/dev/null |
    awk '$5 !~ /^ffff/ && NF {
        gsub(/\//, " ", $2); gsub(/[][]/, "", $3); sub(/:$/, "", $4)
        print $1, $2, $3, $4, $5, $6 }' | head -500 >"$scratch/samples"

# Xen's clock is 1000 s ahead of perf's, and its rate above perf's: samples of one vCPU
# that come more often than Xen's rate would stand for less each.
awk '{ split($5, time, "."); at = time[1] + 1000 "." time[2] }
    NR == 1 { print "domain", time[1] + 999, "5 passive web" }
    !seen[$6]++ { print "place u" $6, "5 user 0x" $6, "user" }
    { print "sample", at, "5." $4 + 0, $4 + 0, "user u" $6, "hz=1000 thread=" \
        $2 ":" $3 ":" $1 }
    END { print "close", time[1] + 1002 }' "$scratch/samples" >"$scratch/text"
"$build/tests/golden/make-session" "$scratch/text" "$scratch/host"

# Lines of PROGRAM SAMPLES LEAF become the sum of each, where no name is as good as
# another, and so is what perf makes up for stubs of the linker.
sums() {
    awk '{ sub(/@@?[A-Z].*/, "", $3)
        if ($3 ~ /^(\[unknown\]|\[user|0x)|@plt$/ || $3 == "") $3 = "-"
        sum[$1 " " $3] += $2 }
        END { for (key in sum) printf "%s %.0f\n", key, sum[key] }' | sort
}

report() {
    "$program" -s "$scratch/host" "$@" 2>"$scratch/errors"
}

# DOMAIN;PROGRAM;FRAME;...;LEAF NS, of samples that stand for 1 ms.
leaves() {
    awk '{ time = $NF; sub(/ [0-9]+$/, ""); count = split($0, frame, ";")
        gsub(/ /, "_", frame[count])
        print frame[2], time / 1000000, frame[count] }' | sums
}

awk '{ print $1, 1, $7 }' "$scratch/samples" | sums >"$scratch/theirs"
merge="--merge=web:$scratch/data --merge-offset=1000"
# shellcheck disable=SC2086
report $merge --folded --sort=comm --thunks | leaves >"$scratch/ours"
diff "$scratch/theirs" "$scratch/ours" >"$scratch/out" && [ -s "$scratch/ours" ] &&
    grep -q ' [a-z_]* [0-9]' "$scratch/ours" &&
    check 0 "names are those that perf has" || check 1 "names are those that perf has"

grep -q '100 % of .* name the same thread' "$scratch/errors" &&
    check 0 "threads are the same" || check 1 "threads are the same"

# shellcheck disable=SC2086
report $merge --archive="$scratch/archive" >"$scratch/out" &&
    "$program" -s "$scratch/archive" --folded --sort=comm --thunks |
    leaves | cmp -s - "$scratch/ours" &&
    check 0 "an archive has them" || check 1 "an archive has them"

# shellcheck disable=SC2086
report $merge --anonymize --callers >"$scratch/out" &&
    grep -qF '[callers by perf]' "$scratch/out" &&
    check 0 "what was borrowed is marked without names, too" ||
    check 1 "what was borrowed is marked without names, too"

# shellcheck disable=SC2086
"$program" --diff "$scratch/host" "$scratch/host" $merge >"$scratch/out" \
    2>"$scratch/errors" && grep -q '% *0.00% .*user of sh' "$scratch/out" &&
    check 0 "--diff shows what it names" || check 1 "--diff shows what it names"

find "$scratch" -name 'xenopreport-*' >"$scratch/out"
[ ! -s "$scratch/out" ] && check 0 "no folder is left" || check 1 "no folder is left"
echo "1..$count"
exit $failed
