#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What must be true of every report, whatever is in the session: no two rows have
# the same domain, mode, image, symbol and address; their samples add up to what
# was read, and their times to all pCPU time, or in a session with several types
# of samples to what there is of the one that is shown; made = read + lost + expired +
# pending; the causes add up to lost; two times that are compared have the figures of
# a report of each.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=${top_builddir:-$(pwd)}
# shellcheck source=/dev/null
. "$here/../../report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/sums.awk" <<'EOF'
function number(line, key) {
    if (!match(line, "\"" key "\": -?[0-9]+"))
        return 0
    return substr(line, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
}
function wrong(what, got, wanted) {
    if (got + 0 == wanted + 0)
        return
    printf "%s: %.0f, wanted %.0f\n", what, got, wanted
    bad = 1
}
/"domain_name"/ {
    samples += number($0, "samples")
    time += number($0, "time_ns") + number($0, "amount")
    key = $0
    if (number($0, "domain") == -1) # its mode says nothing
        sub(/"mode": "[a-z]*"/, "", key)
    if (key ~ /"symbol": "/) # its address says nothing
        sub(/"address": "[0-9a-fx]*"/, "", key)
    sub(/"samples": [0-9]*, "(time_ns|amount)": [0-9]*/, "", key) # its chain stays
    sub(/, "error_ns": [0-9]*/, "", key)
    if (seen[key]++) {
        print "twice: " key
        bad = 1
    }
}
/^    "(made|read|lost|expired|pending|pcpu_time_ns)":/ {
    name = $1
    gsub(/[":]/, "", name)
    session[name] = number($0, name)
}
/^    "type":/ {
    shown = $2
    sub(/,$/, "", shown)
}
/^      \{"name":/ && shown && index($0, "{\"name\": " shown ",") {
    type_samples = number($0, "samples")
    type_amount = number($0, "amount")
}
/"lost_by_cause"/ {
    line = $0
    while (match(line, /": [0-9]+/)) {
        causes += substr(line, RSTART + 3, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
    }
}
END {
    wrong("samples of rows", samples, shown ? type_samples : session["read"])
    wrong("time of rows", time,
          shown && shown != "\"time\"" ? type_amount : session["pcpu_time_ns"])
    wrong("causes", causes, session["lost"])
    known = session["read"] + session["lost"] + session["expired"] + session["pending"]
    wrong("read, lost, expired and pending", known, session["made"])
    exit bad
}
EOF

# Says what is wrong with the folded lines $1 of the session in $2.
folded_sum() {
    awk '
        FILENAME == ARGV[1] { sum += $NF; next }
        /"domain_name"/ && !/"mode": "idle"/ {
            if (match($0, /"(time_ns|amount)": [0-9]+/)) {
                part = substr($0, RSTART, RLENGTH)
                sub(/.*: /, "", part)
                wanted += part
            }
        }
        END {
            if (sum + 0 != wanted + 0)
                printf "folded lines: %.0f, wanted %.0f\n", sum, wanted
            exit sum + 0 != wanted + 0
        }' "$1" "$2"
}

# ARGV: --json of what was before, of what came after, and of both compared.
cat >"$scratch/times.awk" <<'EOF'
FNR == 1 { file++ }
match($0, /"domain_name": .*"symbol": ("([^"\\]|\\.)*"|null)/) {
    key = substr($0, RSTART, RLENGTH)
    match($0, /"(time_ns|amount)": [^"]*/)
    split(substr($0, RSTART, RLENGTH), numbers, /[^0-9]+/)
    for (side = 1; side <= 2; side++) {
        if (file < 3 && side != file)
            continue
        time = numbers[file < 3 ? 2 : side + 1]
        at = side SUBSEP key
        if (file < 3 ? key ~ /: null$/ : !(at in wanted))
            at = side SUBSEP "no symbol"
        if (file < 3)
            wanted[at] += time
        else
            found[at] += time
    }
}
END {
    for (at in wanted)
        if (found[at] + 0 != wanted[at]) {
            printf "%s: %.0f, wanted %.0f\n", at, found[at], wanted[at]
            bad = 1
        }
    exit bad || file != 3
}
EOF

# Says what is wrong if the halves of the session $1, of which $2 is --json, are
# compared.  One of them may have no samples.
compare_halves() {
    half=$(awk '/"duration_ns"/ { gsub(/[^0-9]/, ""); printf "%.3f", $0 / 2e9; exit }' "$2")
    set -- --json --session="$1"
    status=0
    "$program" "$@" --diff --before="..$half" --after="$half.." \
        >"$scratch/both" 2>"$scratch/why" || status=$?
    if [ $status != 0 ]; then
        grep -q 'no samples\{0,1\} ' "$scratch/why"
        return
    fi
    halves=$((halves + 1))
    "$program" "$@" --filter="time=..$half" >"$scratch/before" 2>"$scratch/why" &&
        "$program" "$@" --filter="time=$half.." >"$scratch/after" 2>"$scratch/why" &&
        awk -f "$scratch/times.awk" "$scratch/before" "$scratch/after" \
            "$scratch/both" >"$scratch/why"
}

mkdir "$scratch/sessions"
halves=0
set -- "$here"/*.session
echo "1..$(($# + 1))"
number=0
for file in "$@"; do
    number=$((number + 1))
    name=$(basename "$file" .session)
    session=$scratch/sessions/$name
    result="not ok"
    if "$build/tests/golden/make-session" "$file" "$session" &&
        "$program" --json --session="$session" \
            >"$scratch/json" &&
        awk -f "$scratch/sums.awk" "$scratch/json" >"$scratch/why" &&
        "$program" --json --stacks --session="$session" \
            >"$scratch/stacks" &&
        awk -f "$scratch/sums.awk" "$scratch/stacks" >"$scratch/why" &&
        "$program" --folded --session="$session" \
            >"$scratch/folded" &&
        folded_sum "$scratch/folded" "$scratch/json" >"$scratch/why" &&
        compare_halves "$session" "$scratch/json"; then
        result=ok
    fi
    echo "$result $number - sums of $name"
    [ "$result" = ok ] || sed 's/^/# /' "$scratch/why"
done
result="not ok"
[ $halves -ge 30 ] && result=ok
echo "$result $((number + 1)) - halves of $halves sessions are compared"
