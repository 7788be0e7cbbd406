# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The scenarios' kit, for dom0's sh (busybox). A check that fails says what was
# found, what was wanted, and ends the scenario.

lab_tests=/tests
PATH=$PATH:$lab_tests/bin
modules=/var/lib/xenoprof/modules
sessions=/var/lib/xenoprof/sessions

fail() {
    echo "FAILED: $*"
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
    echo "$said" | grep -qE "$pattern" ||
        fail "'$*' should say something like '$pattern'; it said: $said"
}

# says PATTERN: the command that was just tried did.
says() {
    echo "$said" | grep -qE "$1" ||
        fail "there is no '$1' in what it said: $said"
}

# equal WHAT FOUND WANTED
equal() {
    [ "$2" = "$3" ] || fail "$1: found '$2', wanted '$3'"
}

# at_least WHAT FOUND WANTED, numbers
at_least() {
    [ "$2" -ge "$3" ] || fail "$1: found $2, wanted at least $3"
}

at_most() {
    [ "$2" -le "$3" ] || fail "$1: found $2, wanted at most $3"
}

# holds LIMIT COMMAND...: true as soon as COMMAND is, false after LIMIT seconds.
holds() {
    local end
    end=$(($(date +%s) + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt $end ] || return 1
        sleep 0.1
    done
}

# wait_for LIMIT WHAT COMMAND...
wait_for() {
    local limit=$1 what=$2
    shift 2
    holds "$limit" "$@" || fail "waited $limit s for $what, and it did not come"
}

# What the module tells by itself, whatever becomes of the daemon.
door_number() {
    xenhypfs cat /xenoprof/status 2>/dev/null | tr -d '\0' |
        awk -v key="$1:" '$1 == key { print $2 }'
}

door_at_least() {
    [ "$(door_number "$1")" -ge "$2" ]
}

# door_command WORDS: 0 if the module took it. Only where no daemon is wanted.
door_command() {
    xenhypfs write /xenoprof/command "$*"
}

# more_samples N: waits until N more samples are made.
more_samples() {
    local now
    now=$(door_number made)
    wait_for 120 "$1 more samples than $now" door_at_least made $((now + $1))
}

daemon_pid() {
    pidof xenoprofd
}

# xen_build: the hypervisor's build-id.
xen_build() {
    cat /sys/hypervisor/properties/buildid
}

# --- livepatches -------------------------------------------------------------

# livepatch ACTION NAME...: again, when the pCPUs did not meet within Xen's
# 30 ms, which under emulation they often do not.
livepatch() {
    local round=0
    while ! xen-livepatch "$@" >/tmp/livepatch.said 2>&1; do
        round=$((round + 1))
        if [ $round -ge 15 ] ||
            ! grep -qiE 'busy|resource|again|error 16' /tmp/livepatch.said; then
            cat /tmp/livepatch.said
            return 1
        fi
    done
}

# Names of the payloads that are applied or uploaded, oldest first.
payloads() {
    xen-livepatch list 2>/dev/null |
        awk -F'|' 'NR > 2 { gsub(/ /, "", $1); print $1 }'
}

loaded() {
    payloads | grep -qx "$1"
}

# make_payload KIND NAME OWN DEPENDS [XEN]: a copy of a test payload as
# /tmp/NAME.livepatch, with those build-ids.
make_payload() {
    cp "$lab_tests/payloads/$1.livepatch" "/tmp/$2.livepatch"
    must payload-ids "/tmp/$2.livepatch" "$3" "$4" "${5:-$(xen_build)}"
}

# put_in NAME [--nodeps]: uploads and applies /tmp/NAME.livepatch.
put_in() {
    must xen-livepatch upload "$1" "/tmp/$1.livepatch"
    must livepatch apply "$@"
}

take_out() {
    must livepatch revert "$1"
    must xen-livepatch unload "$1"
}

# --- what xenopctl and xenopreport say ---------------------------------------

# number FILE KEY: the first number of that name in a JSON file.
number() {
    awk -v key="\"$2\": " '
        (at = index($0, key)) {
            rest = substr($0, at + length(key))
            if (match(rest, /^-?[0-9]+/)) { print substr(rest, 1, RLENGTH); exit }
        }' "$1"
}

# text FILE KEY: the same, of text.
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

# check_status FILE: made = read + lost, of each ring and of all together.
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

# samples FILE CONDITION: how many, of rows for which awk finds it true; it may
# speak of domain, name, mode, image, symbol, address, pcpu.
samples() {
    rows "$1" | awk -F'|' '
        { domain = $1; name = $2; mode = $3; image = $4; symbol = $5
          address = $6; pcpu = $9 }
        '"$2"' { sum += $7 }
        END { print sum + 0 }'
}

# check_report FILE: the report's own sums, and the status' where it is given.
check_report() {
    local made read lost
    made=$(number "$1" made) read=$(number "$1" read) lost=$(number "$1" lost)
    equal "made, and read + lost, of the report" "$made" "$((read + lost))"
    equal "samples that could not be read back" "$(number "$1" unreadable)" 0
    equal "samples on their way in a closed session" "$(number "$1" pending)" 0
    equal "samples of all rows, and read" "$(samples "$1" 1)" "$read"
    [ -z "$2" ] || {
        equal "made in the report and in --status" "$made" "$(number "$2" made)"
        equal "read in the report and in --status" "$read" "$(number "$2" read)"
        equal "lost in the report and in --status" "$lost" "$(number "$2" lost)"
    }
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

not() {
    ! "$@"
}
