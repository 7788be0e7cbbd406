#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What must be true of every report, whatever is in the session: no two rows have
# the same domain, mode, image, symbol and address; their samples add up to what
# was read, and their times to all pCPU time, or in a session with several types
# of samples to what there is of the one that is shown; made = read + lost + expired +
# pending; the causes add up to lost.
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

mkdir "$scratch/sessions"
set -- "$here"/*.session
echo "1..$#"
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
        folded_sum "$scratch/folded" "$scratch/json" >"$scratch/why"; then
        result=ok
    fi
    echo "$result $number - sums of $name"
    [ "$result" = ok ] || sed 's/^/# /' "$scratch/why"
done
