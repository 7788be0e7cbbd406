#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# xenoprof-push against receivers that answer late, wrong, never, or are somebody
# else: no sample is lost or sent out of order, what is dropped is counted, secrets
# stay where they belong.  Its windows are a test's (tests/push/fake-window.c), but for
# one case.  The cases run beside each other: most of their time is waiting.
# shellcheck disable=SC2154
push=$top_builddir/tests/push/push-fake
receiver=$top_srcdir/tests/push/receiver.py
work=$(mktemp -d)
chmod 755 "$work"
pids=()
# shellcheck disable=SC2317,SC2329
end() {
    [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null
    rm -rf "$work"
}
trap end EXIT
user=()
[ "$(id -u)" != 0 ] || user=(--user=nobody)

for tool in python3 openssl flock; do
    if ! command -v $tool >/dev/null; then
        echo "1..0 # SKIP no $tool"
        exit 0
    fi
done

# wait_for COMMAND...: until it is true, for 20 s at most.
wait_for() {
    local left=400
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.05
    done
}

# begin ANSWER...: a receiver in $case/r that answers so; its port is $port.
begin() {
    mkdir -p "$case/r" "$case/s"
    chmod 755 "$case" "$case/s"
    echo "$*" >"$case/r/answers"
    serve "$case/r"
}

# serve FOLDER [CERTIFICATE KEY]
serve() {
    python3 "$receiver" "$@" &
    echo $! >>"$work/receivers"
    wait_for test -e "$1/port" || echo "# no receiver in $1"
    port=$(cat "$1/port")
}

# window NUMBER SAMPLES DOMAIN: what it has is known by its text.
window() { echo "window $1" >"$case/s/$1.$2.$3"; }

# Two windows, and that is all.
two_windows() {
    window 1 10 web
    window 2 20 db
    touch "$case/s/closed"
}

# run OPTION...: to its end, or in the background ($way is empty) until it is ready;
# what it says is in $case/err.
way=--foreground
run() {
    XENOPROF_PUSH_DIR=$case/q timeout 60 "$push" $way --interval=1 \
        --backoff=1 "${user[@]}" --session-dir="$case/s" "$@" 2>>"$case/err"
    echo $? >"$case/status"
}

# said KEY: what the status file says.
said() { tr ' ' '\n' <"$case/q/status" | sed -n "s/^$1=//p"; }

# bodies NUMBER...: these windows came, in this order, and no other.
bodies() {
    local at=0 number
    for number; do
        at=$((at + 1))
        [ "$(cat "$case/r/body.$at.0" 2>/dev/null)" = "window $number" ] ||
            { echo "# body $at is not window $number" >>"$case/why"; return 1; }
    done
    [ ! -e "$case/r/body.$((at + 1))" ]
}

# counts SENT QUEUED DROPPED: samples.
counts() {
    local got
    got="$(said sent_samples) $(said queued_samples) $(said dropped_samples)"
    [ "$got" = "$*" ] || { echo "# counts are $got, not $*" >>"$case/why"; return 1; }
}

tries() { grep -c . "$case/r/log"; }

# It comes right at the second try: nothing is lost, the order is kept.
again() {
    begin "$1" 200
    two_windows
    run --linger=20 --timeout=2 --url="pyroscope+http://127.0.0.1:$port"
    bodies 1 2 && counts 30 0 0 && [ "$(said failures)" = 1 ] && [ "$(tries)" = 3 ]
}
case_503() { again 503; }
case_429() { again '429;Retry-After=1'; }
case_reset() { again reset; }
case_cut() { again cut; }
case_nonsense() { again nonsense; }
case_never() { again never; }

# As xenopctl --start --push begins it: in the background, where it is soon alone.
all_sent() { [ "$(said sent_samples)" = 30 ]; }
case_background() {
    begin 200
    two_windows
    way=
    run --linger=20 --url="pyroscope+http://127.0.0.1:$port"
    [ "$(cat "$case/status")" = 0 ] && wait_for all_sent && bodies 1 2 && counts 30 0 0
}

# It is waited for as long as it asks, 2 s here instead of 1 at most.
case_retry_after() {
    begin '503;Retry-After=2' 200
    two_windows
    local before
    before=$(date +%s%N)
    run --linger=20 --url="parca+http://127.0.0.1:$port"
    bodies 1 2 && counts 30 0 0 && [ $(($(date +%s%N) - before)) -ge 2000000000 ]
}

# Nothing is waited for that will not come: the next one is sent.
dropped() {
    begin "$1" 200
    two_windows
    run --linger=20 --url="pyroscope+http://127.0.0.1:$port"
    bodies 2 && counts 20 0 10 && [ "$(said dropped_refused)" = 10 ] &&
        [ "$(grep -c 'a window with 10 samples is dropped' "$case/err")" = 1 ]
}
case_400() { dropped 400; }
case_413() { dropped 413; }
case_422() { dropped 422; }

# Who must not, or not there: all of it waits for somebody to look.
kept() {
    begin "$1"
    two_windows
    run --linger=1 --url="pyroscope+http://127.0.0.1:$port"
    counts 0 30 0 && [ "$(tries)" = 1 ] && [ "$(cat "$case/status")" = 0 ] &&
        grep -q "answers $1: $2" "$case/err" || return 1
    # The next one sends it, in order.
    echo 200 >"$case/r/answers"
    run --linger=20 --url="pyroscope+http://127.0.0.1:$port"
    bodies 1 2 && counts 30 0 0
}
case_401() { kept 401 "it does not accept who this is"; }
case_403() { kept 403 "it does not allow this"; }
case_404() { kept 404 "it takes no profiles there"; }

case_redirect() {
    begin 200
    local other=$port
    mv "$case/r" "$case/other"
    begin "307;Location=http://127.0.0.1:$other/push.v1.PusherService/Push"
    two_windows
    run --linger=1 --url="pyroscope+http://127.0.0.1:$port"
    counts 0 30 0 && [ ! -e "$case/other/log" ] && grep -q "is not followed" "$case/err"
}

case_engines() {
    local engine path
    for engine in pyroscope:/push.v1.PusherService/Push parca:/profiles/writeraw \
        otlp:/v1development/profiles; do
        path=${engine#*:}
        rm -rf "${case:?}"/[rsq]
        begin 200
        two_windows
        run --linger=20 --url="${engine%%:*}+http://localhost:$port/"
        counts 30 0 0 && grep -q "^200 $path " "$case/r/log" || return 1
        case $engine in
        otlp*)
            grep -q 'Content-Encoding: gzip' "$case/r/log" &&
                [ "$(cat "$case/r/body.1" "$case/r/body.2")" = $'window 1\nwindow 2' ] ;;
        *) bodies 1 2 && grep -qx domain=web "$case/r/labels.1.0" &&
            grep -qx "host=$(uname -n)" "$case/r/labels.1.0" &&
            grep -qx "__name__=process_cpu" "$case/r/labels.2.0" ;;
        esac || return 1
    done
}

# An answer that does not end is not read to its end; the status was before it.
case_long() {
    begin long
    two_windows
    run --linger=20 --timeout=5 --url="pyroscope+http://127.0.0.1:$port"
    bodies 1 2 && counts 30 0 0
}

certificate() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$case/key" \
        -out "$case/certificate" 2>/dev/null
}

# With a token, which is in no command line, status or message.
case_https() {
    certificate
    mkdir -p "$case/r"
    echo '401 200' >"$case/r/answers"
    serve "$case/r" "$case/certificate" "$case/key"
    mkdir -p "$case/s"
    chmod 755 "$case" "$case/s"
    two_windows
    cat >"$case/conf" <<CONF
# what root says
url = pyroscope+https://localhost:$port
token = s3cret-t0ken
ca = $case/certificate
tenant = fleet-1
label.rack = 7
CONF
    chmod 0600 "$case/conf"
    run --linger=1 --config="$case/conf"
    counts 0 30 0 || return 1
    run --linger=20 --config="$case/conf"
    bodies 1 2 && counts 30 0 0 &&
        grep -q 'X-Scope-OrgID: fleet-1' "$case/r/log" &&
        grep -q 'Authorization: Bearer s3cret-t0ken' "$case/r/log" &&
        grep -qx rack=7 "$case/r/labels.1.0" &&
        ! grep -rq s3cret "$case/err" "$case/q"
}

# No CA that is known made it; or it is somebody else's.
case_certificate() {
    certificate
    mkdir -p "$case/r" "$case/s"
    echo 200 >"$case/r/answers"
    serve "$case/r" "$case/certificate" "$case/key"
    chmod 755 "$case" "$case/s"
    two_windows
    run --linger=1 --url="pyroscope+https://localhost:$port"
    counts 0 30 0 && [ ! -e "$case/r/log" ] && grep -q 'nothing is sent to it' "$case/err" ||
        return 1
    echo "ca = $case/certificate" >"$case/conf"
    chmod 0600 "$case/conf"
    run --linger=1 --config="$case/conf" --url="pyroscope+https://127.0.0.1:$port"
    counts 0 30 0 && [ ! -e "$case/r/log" ]
}

# refused TEXT OPTION...: ends with status 2 and says so.
refused() {
    local text=$1
    shift
    : >"$case/err"
    run "$@"
    [ "$(cat "$case/status")" = 2 ] && grep -q -e "$text" "$case/err" &&
        [ "$(wc -l <"$case/err")" = 1 ] ||
        { echo "# wanted '$text', got $(cat "$case/err")" >>"$case/why"; return 1; }
}

case_configuration() {
    mkdir -p "$case/s"
    local conf=$case/conf
    refused "cannot be read" --config="$case/none"
    refused "put pyroscope+, parca+ or otlp+" --url=http://h:1
    refused "user or password in it" --url=otlp+http://me:you@h
    refused "the URL is none" --url=otlp+ftp://h
    echo "token = s3cret" >"$conf"
    chmod 0644 "$conf"
    refused "chmod 0640 or 0600" --config="$conf" --url=otlp+https://h
    chmod 0600 "$conf"
    refused "give one with https" --config="$conf" --url=otlp+http://h
    refused "give one with https" --config="$conf" --url=otlp+http://localhost.evil
    ln -s conf "$case/link"
    refused "cannot be read" --config="$case/link" --url=otlp+https://h
    printf 's3cret\n' >"$conf"
    refused "line 1 has no '='" --config="$conf" --url=otlp+https://h
    printf '\nwhat = 1\n' >"$conf"
    refused "line 2: 'what' is not a key" --config="$conf" --url=otlp+https://h
    printf 'queue-age = x\n' >"$conf"
    run --config="$conf" --url=otlp+https://h
    [ "$(cat "$case/status")" = 13 ] && ! grep -q s3cret "$case/err" && [ ! -e "$case/why" ]
}

# Told to end, it keeps what was not taken.
case_ends() {
    begin never
    window 1 10 web
    run --timeout=50 --linger=1 --url="pyroscope+http://127.0.0.1:$port" &
    wait_for test -s "$case/r/log" || return 1
    local pid
    pid=$(said pid)
    kill "$pid"
    wait_for test -e "$case/status" || return 1
    counts 0 10 0 && [ "$(said state)" = ended ] && [ "$(cat "$case/status")" = 0 ]
}

# Two at a time there are not; killed, it has lost nothing, and takes nothing twice.
case_two() {
    begin never
    window 1 10 web
    run --timeout=50 --url="pyroscope+http://127.0.0.1:$port" &
    wait_for test -s "$case/r/log" || return 1
    local pid
    pid=$(said pid)
    XENOPROF_PUSH_DIR=$case/q "$push" --foreground "${user[@]}" --session-dir="$case/s" \
        --url=otlp+http://h 2>"$case/second"
    [ $? = 11 ] && grep -q "another xenoprof-push" "$case/second" || return 1
    kill -9 "$pid"
    wait_for test -e "$case/status" && counts 0 10 0 || return 1
    echo 200 >"$case/r/answers"
    touch "$case/s/closed"
    run --linger=20 --url="pyroscope+http://127.0.0.1:$port"
    bodies 1 && counts 10 0 0 && [ "$(said made_samples)" = 10 ]
}

# Memory is that of one window, whatever has passed and waits. A sanitizer keeps what
# was freed for a while, and takes more from the beginning.
memory_of() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }
sanitized() { ldd "$push" | grep -q 'lib[au].*san' || grep -q __asan_init "$push"; }
at_least() { [ "$(tries)" -ge "$1" ]; }
case_memory() {
    begin 200
    local i before pid most=65536
    local -x ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1
    ! sanitized || most=262144
    for i in 1 2 3 4 5 6 7 8; do
        head -c 2000000 /dev/zero | tr '\0' "$i" >"$case/s/$i.10.web"
    done
    run --url="pyroscope+http://127.0.0.1:$port" &
    wait_for test -s "$case/r/log" && wait_for at_least 3 || return 1
    pid=$(said pid)
    before=$(memory_of "$pid")
    wait_for at_least 8 || return 1
    local after
    after=$(memory_of "$pid")
    kill "$pid"
    wait_for test -e "$case/status" || return 1
    echo "# $before KiB after 3 windows, $after after 8" >>"$case/why"
    [ "$after" -le $((before + most / 64)) ] && [ "$after" -le "$most" ] &&
        counts 80 0 0
}

# What arrives is a profile that somebody else's decoder reads.
case_pprof() {
    local session=$work/session
    if ! command -v go >/dev/null; then
        echo "# SKIP no go" >"$case/skip"
        return 0
    fi
    begin 200
    "$top_builddir/tests/golden/make-session" \
        "$top_srcdir/tests/golden/report/why.session" "$session" || return 1
    "$top_builddir/report/xenopreport" -s "$session" --export=pprof:"$case/s/1.10.web" \
        2>/dev/null || return 1
    touch "$case/s/closed"
    run --linger=20 --url="pyroscope+http://127.0.0.1:$port"
    cmp "$case/s/1.10.web" "$case/r/body.1.0" &&
        [ "$(go tool pprof -raw "$case/r/body.1.0" 2>/dev/null | sed -n '/^Samples/,/^Loc/p' |
            awk '$2 ~ /^[0-9]+:$/ { sum += $1 } END { print sum }')" = 636 ]
}

# A session of 40 s: some samples wait for names, and come five seconds late.
session_text() {
    local now
    now=$(date +%s%N)
    cat <<TEXT
fact 100 began $now
fact 100 utc $now
domain 100 0 dom0 Domain-0
domain 100 1 passive web
place s 0 xen 0xffff82d040202000 xen schedule 0xffff82d040202000
place k 1 kernel 0xffffffff81000010 vmlinux tcp_sendmsg 0xffffffff81000000
stack called s k
TEXT
    awk 'BEGIN {
        for (second = 100; second < 140; second++) {
            print "sample " second ".1 1.0 0 kernel k count=5"
            print "sample " second ".6 1.0 0 xen s count=10 stack=called"
            if (second % 7 == 3)
                print "spooled " second " 1.0 kernel 4"
            if (second % 7 == 1 && second > 105) {
                print "sample " second - 5 ".8 1.0 0 kernel k count=4"
                print "spooled " second - 5 " 1.0 kernel -4"
            }
            print "idle " second " 0 0"
            print "flush"
        }
        print "close 140"
    }'
}

# All of a session that grows goes out, once, also if xenoprof-push is killed on the
# way.  Who writes it has a lock.
case_session() {
    begin 200
    session_text >"$case/text"
    "$top_builddir/tests/golden/make-session" "$case/text" "$case/whole" || return 1
    local size i wanted sent
    size=$(stat -c %s "$case/whole/DATA.0000")
    wanted=$(awk '$1 == "sample" { sub(/.*count=/, ""); sum += $1 } END { print sum }' \
        "$case/text")
    mkdir "$case/s/current"
    exec 9<"$case/s/current"
    flock 9
    push=$top_builddir/xenoprof-push
    for i in 1 2 3 4 5 6 7 8; do
        head -c $((size * i / 8 - 20)) "$case/whole/DATA.0000" >"$case/s/current/new"
        mv "$case/s/current/new" "$case/s/current/DATA.0000"
        [ "$(id -u)" != 0 ] || chown -R nobody "$case/s"
        [ $i != 1 ] && [ $i != 5 ] ||
            run --linger=20 --url="pyroscope+http://127.0.0.1:$port" 9<&- &
        sleep 1.2
        if [ $i = 4 ]; then
            kill -9 "$(said pid)"
            wait_for test -e "$case/status" || return 1
            rm "$case/status"
            [ "$(said sent_samples)" -gt 0 ] || return 1
        fi
    done
    cp "$case/whole/DATA.0000" "$case/s/current/DATA.0000"
    flock -u 9
    exec 9<&-
    wait_for test -e "$case/status" || return 1
    sent=$(said sent_samples)
    [ "$sent" = "$wanted" ] && [ "$(said sent_windows)" -ge 3 ] &&
        [ "$(said made_samples)" = "$wanted" ] || return 1
    ! command -v go >/dev/null ||
        [ "$(for i in "$case"/r/body.*.0; do
            go tool pprof -raw "$i" 2>/dev/null | sed -n '/^Samples/,/^Loc/p'
        done | awk '$2 ~ /^[0-9]+:$/ { sum += $1 } END { print sum }')" = "$wanted" ]
}

cases=$(declare -F | sed -n 's/^declare -f case_//p')
for name in $cases; do
    mkdir "$work/$name"
    (
        case=$work/$name
        if "case_$name"; then echo ok; else echo "not ok"; fi >"$case/result"
    ) &
    pids+=($!)
done
wait "${pids[@]}"
pids=()
count=0
for name in $cases; do
    count=$((count + 1))
    result=$(cat "$work/$name/result")
    echo "$result $count - push: $name$(sed 's/^/ /' "$work/$name/skip" 2>/dev/null)"
    [ "$result" = ok ] || cat "$work/$name/why" <(sed 's/^/# /' "$work/$name/err" \
        "$work/$name/q/status" "$work/$name/r/log") 2>/dev/null
done
echo "1..$count"
xargs kill <"$work/receivers" 2>/dev/null
exit 0
