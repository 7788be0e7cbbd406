# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Reads what xenopctl --status --json and xenopreport --json say, and checks that
# it adds up.

# number FILE KEY: the first number of that name in a JSON file.
number() {
    awk -v key="\"$2\": " '
        (at = index($0, key)) {
            rest = substr($0, at + length(key))
            if (match(rest, /^-?[0-9]+/)) { print substr(rest, 1, RLENGTH); exit }
        }' "$1"
}

# text FILE KEY: the first text of that name.
text() {
    sed -n 's/.*"'"$2"'": "\([^"]*\)".*/\1/p' "$1" | head -n 1
}

status_json() {
    must xenopctl --status --json
    echo "$said" >"$1"
}

# rings FILE: a line for each ring: domain|name|unit|made|read|lost, where unit
# is a vCPU (v0) or a pCPU (p0).
rings() {
    awk '
        function get(key,   at, rest) {
            at = index($0, "\"" key "\": ")
            if (!at) return "-"
            rest = substr($0, at + length(key) + 4)
            sub(/^"/, "", rest)
            sub(/[",}].*/, "", rest)
            return rest
        }
        /"domain_name":/ && /"made":/ {
            unit = /"pcpu":/ ? "p" get("pcpu") : "v" get("vcpu")
            print get("domain") "|" get("domain_name") "|" unit "|" \
                get("made") "|" get("read") "|" get("lost")
        }' "$1"
}

# check_status FILE: made = read + lost, for each ring and for all together.
check_status() {
    local made read lost bad
    made=$(number "$1" made) read=$(number "$1" read) lost=$(number "$1" lost)
    equal "made, and read + lost, of --status --json" \
        "$made" "$((read + lost))"
    equal "due, and made + missed, of --status --json" \
        "$(number "$1" due)" "$((made + $(number "$1" missed)))"
    bad=$(rings "$1" | awk -F'|' '$4 != $5 + $6')
    [ -z "$bad" ] || fail "rings whose made is not read + lost: $bad"
    equal "made, and the sum of made of all rings" \
        "$made" "$(rings "$1" | awk -F'|' '{ sum += $4 } END { print sum + 0 }')"
    equal "read, and the sum of read of all rings" \
        "$read" "$(rings "$1" | awk -F'|' '{ sum += $5 } END { print sum + 0 }')"
}

report_json() {
    local to=$1
    shift
    must xenopreport --json "$@"
    echo "$said" >"$to"
}

# folded OPTION...: its call chains, with how many samples at 97 Hz have as much
# time.
folded() {
    xenopreport --folded "$@" 2>/dev/null | awk '{
        count = int($NF * 97 / 1e9 + 0.5)
        sub(/[0-9]+$/, "")
        print $0 count
    }'
}

# rows FILE: a line for each row of a report: domain|name|mode|image|symbol|
# address|samples|time_ns|pcpu; '-' for null.
rows() {
    awk '
        function get(key,   at, rest) {
            at = index($0, "\"" key "\": ")
            if (!at) return "-"
            rest = substr($0, at + length(key) + 4)
            if (rest ~ /^null/) return "-"
            if (rest ~ /^"/) {
                rest = substr(rest, 2)
                return substr(rest, 1, index(rest, "\"") - 1)
            }
            sub(/[,}].*/, "", rest)
            return rest
        }
        /"mode":/ && /"samples":/ {
            print get("domain") "|" get("domain_name") "|" get("mode") "|" \
                get("image") "|" get("symbol") "|" get("address") "|" \
                get("samples") "|" get("time_ns") "|" get("pcpu")
        }' "$1"
}

# sum_rows FIELD UNIT FILE CONDITION: the sum of a field, in units of so many.
sum_rows() {
    rows "$3" | awk -F'|' -v field="$1" -v unit="$2" '
        { domain = $1; name = $2; mode = $3; image = $4; symbol = $5
          address = $6; pcpu = $9 }
        '"$4"' { sum += $field }
        END { print int(sum / unit) }'
}

# samples FILE CONDITION: how many samples are in rows that match the awk
# condition, which may use domain, name, mode, image, symbol, address and pcpu.
samples() {
    sum_rows 7 1 "$@"
}

# time_us FILE CONDITION: the microseconds that such rows have, which is what
# reports show shares of: samples that were lost count.
time_us() {
    sum_rows 8 1000 "$@"
}

# kernel_ends GUEST FILE: how the chains of samples in the guest's kernel ended, as
# 'CAUSE COUNT' lines.
kernel_ends() {
    awk -v guest="\"name\": \"$1\"" '
        index($0, guest) { on = 1 }
        on && /"kernel": \{.*"root":/ {
            gsub(/.*"kernel": \{|\}.*|[",]/, "")
            gsub(/: /, " ")
            for (i = 1; i < NF; i += 2)
                print $i, $(i + 1)
            exit
        }' "$2"
}

# of_waiters FILE KEY: of samples of vCPUs that waited, in --status --json.
of_waiters() {
    local value
    value=$(number "$1" "waiters_$2")
    echo "${value:-0}"
}

# check_report FILE [STATUS]: the report adds up, and agrees with the status,
# which has samples of vCPUs that waited apart.
check_report() {
    local made read lost expired
    made=$(number "$1" made) read=$(number "$1" read) lost=$(number "$1" lost)
    expired=$(number "$1" expired)
    equal "made, and read + expired + lost, of the report" "$made" \
        "$((read + expired + lost))"
    equal "samples that could not be read back" "$(number "$1" unreadable)" 0
    equal "samples on their way in a closed session" "$(number "$1" pending)" 0
    [ -n "$2" ] || {
        equal "samples of all rows, and read" "$(samples "$1" 1)" "$read"
        return 0
    }
    equal "samples of all rows, and read of those of time" \
        "$(samples "$1" 1)" $((read - $(of_waiters "$2" read)))
    equal "made in the report and in --status" "$made" \
        $(($(number "$2" made) + $(of_waiters "$2" made)))
    equal "read in the report, with expired, and in --status" \
        "$((read + expired))" \
        $(($(number "$2" read) + $(of_waiters "$2" read)))
    equal "expired in the report and in --status" "$expired" \
        "$(number "$2" expired)"
    equal "lost in the report and in --status" "$lost" \
        $(($(number "$2" lost) + $(of_waiters "$2" lost)))
}

# stop_and_check: stops, then all sums at every layer; leaves /tmp/status and
# /tmp/report.
stop_and_check() {
    must xenopctl --stop
    status_json /tmp/status
    equal "the state after --stop" "$(text /tmp/status state)" stopped
    check_status /tmp/status
    equal "made in --status, and what Xen says" \
        "$(number /tmp/status made)" "$(door_number made)"
    report_json /tmp/report "$@"
    check_report /tmp/report /tmp/status
    echo "made $(number /tmp/status made), read $(number /tmp/status read)," \
        "lost $(number /tmp/status lost)"
}
