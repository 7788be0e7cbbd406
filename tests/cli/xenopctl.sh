#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Messages and exit statuses of xenopctl and xenoprofd without Xen, or before they
# ask Xen.
# shellcheck disable=SC2154
ctl=$top_builddir/xenopctl
daemon=$top_builddir/xenoprofd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

result() { count=$((count + 1)); echo "$1 $count - $2"; }

# case NAME STATUS TEXT COMMAND...: exits so, and says TEXT on stderr, once.
check() {
    name=$1 status=$2 text=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    lines=$(wc -l <"$work/err")
    if [ $got != "$status" ]; then
        result "not ok" "$name"
        echo "# exit status $got, wanted $status: $(cat "$work/err")"
    elif [ -n "$text" ] && ! grep -q -e "$text" "$work/err"; then
        result "not ok" "$name"
        echo "# stderr lacks '$text': $(cat "$work/err")"
    elif [ "$status" != 0 ] && [ "$lines" != 1 ]; then
        result "not ok" "$name"
        echo "# $lines lines on stderr, wanted one sentence"
    else
        result ok "$name"
    fi
}

# Where this runs in a dom0, nothing may be started by a test.
no_xen() {
    if [ "$(cat /sys/hypervisor/type 2>/dev/null)" = xen ]; then
        result "ok" "$1 # SKIP this machine runs on Xen"
    else
        check "$@"
    fi
}

check version 0 "" "$ctl" --version
check "daemon's version" 0 "" "$daemon" --version
check help 0 "" "$ctl" --help
case $(cat "$work/out") in
*"xenopctl --record=10 "*Usage:*Commands:*--record=*--check*"What --start"*) \
    result ok "help begins with examples and commands" ;;
*)
    result "not ok" "help begins with examples and commands"
    sed 's/^/# /' "$work/out" ;;
esac
check "push without a URL" 2 "cannot be read" "$top_builddir/xenoprof-push" \
    --foreground --user=nobody --config="$work/none"
check "push at a pace that is none" 13 "1 to 3600" "$top_builddir/xenoprof-push" --interval=0
check "stray word for push" 2 "unknown option 'x'" "$top_builddir/xenoprof-push" x
full() { "$@" >/dev/full; }
for program in "$ctl" "$daemon" "$top_builddir/opagent" "$top_builddir/xenoprof-push" \
    "$top_builddir/report/xenopreport"; do
    for option in --help --usage --version; do
        check "${program##*/} $option to a full disk" 35 "No space left" \
            full "$program" $option
    done
done
check "a list of labels to a full disk" 35 "No space left" \
    full "$top_builddir/report/xenopreport" --list-fields
check "a list of sessions to a full disk" 35 "No space left" \
    full "$ctl" --list-sessions --session-dir="$work/none"
check "nothing to do" 2 "nothing to do" "$ctl"
check "unknown option" 2 "no-such" "$ctl" --no-such
esc=$(printf '\033')
check "an error spells control characters" 2 "unknown option '[\\]x1b.31mx'" \
    "$ctl" "${esc}[31mx"
check "so does an error of the daemon" 2 "[\\]x1b.31mx" "$daemon" "${esc}[31mx"
check "stray word" 2 "unknown option 'start'; did you mean --start" "$ctl" start
check "option without its value" 2 "frequency" "$ctl" --start --frequency
check "verb twice" 2 "twice" "$ctl" --stop --stop
check "option without its verb" 2 "needs --start" "$ctl" --stop --force=readers
check "json without status" 2 "needs --status" "$ctl" --stop --json
check "cut without archive" 2 "needs --archive" "$ctl" --status --cut=1..2
check "archive before a command" 2 "last thing" \
    "$ctl" --archive="$work/x" --status
check "archive of no session" 16 "no session\|does not exist" \
    env XENOPREPORT="$top_builddir/report/xenopreport" \
    "$ctl" --archive="$work/x" --session-dir="$work/none"
"$top_builddir/tests/golden/make-session" \
    "$top_srcdir/tests/golden/report/basic.session" "$work/kept"
mkdir "$work/sessions" && mv "$work/kept" "$work/sessions/current"
check "archive" 0 "x is written" \
    env XENOPREPORT="$top_builddir/report/xenopreport" \
    "$ctl" --archive="$work/x" --cut=1..2 --session-dir="$work/sessions"
check "anonymous archive" 0 "z is written" \
    env XENOPREPORT="$top_builddir/report/xenopreport" \
    "$ctl" --archive="$work/z" --anonymize --session-dir="$work/sessions"
check "anonymous archive is read" 0 "" \
    "$top_builddir/report/xenopreport" --session="$work/z" --header
if grep -q "pvh1" "$work/out" || ! grep -q "x[0-9]\{12\} (" "$work/out"; then
    result "not ok" "it has no names"
else
    result ok "it has no names"
fi
check "anonymize with code" 2 "cannot be combined" \
    "$top_builddir/report/xenopreport" --session="$work/z" --anonymize \
    --annotate=x --code=xen:y
check "archive of a part" 0 "" \
    "$top_builddir/report/xenopreport" --session="$work/x" --header
if grep -q "left out of this copy" "$work/out"; then
    result ok "it has that part"
else
    result "not ok" "it has that part"
fi
check "archive in place of a folder" 35 "not a regular file" \
    "$top_builddir/report/xenopreport" --session="$work/x" --archive="$work"
check "archive in place of a session's file" 35 "file of a session" \
    "$top_builddir/report/xenopreport" --session="$work/x" \
    --archive="$work/sessions/current/DATA.0000"
check "archive where nobody may write" 35 "cannot be written" \
    "$top_builddir/report/xenopreport" --session="$work/x" --archive=/proc/x
check "archive with another filter" 2 "leave out other filters" \
    "$top_builddir/report/xenopreport" --session="$work/x" --archive="$work/y" \
    --filter=domain=1
check "archive with a view" 2 "cannot be combined" \
    "$top_builddir/report/xenopreport" --session="$work/x" --archive="$work/y" \
    --json
if [ -e "$work/y" ] || ls -d "$work"/x.* >/dev/null 2>&1; then
    result "not ok" "nothing is left"
else
    result ok "nothing is left"
fi
check "push without start" 2 "needs --start" "$ctl" --stop --push=otlp+http://h
check "push with a password" 2 "push.conf" "$ctl" --start --push=otlp+http://me:you@h
check "prometheus without status" 2 "needs --status" "$ctl" --stop --prometheus
check "two forms of a status" 2 "give one of them" \
    "$ctl" --status --json --prometheus
check "offline without setup" 2 "needs --setup" "$ctl" --check --offline=xen
check "offline beside a command" 2 "no other command" \
    "$ctl" --setup --offline=xen --start
check "offline: no file" 1 "cannot read .*No such file" \
    "$ctl" --setup --offline="$work/none"
check "offline: no hypervisor" 1 "is not a hypervisor" \
    "$ctl" --setup --offline="$0"
check "unwind-table without a hypervisor" 2 "--offline=FILE" \
    "$ctl" --setup --unwind-table="$work/table"
check "unwind-table: no hypervisor" 1 "is not a hypervisor" \
    "$ctl" --setup --offline="$0" --unwind-table="$work/table"
check "frequency too low" 13 "1 to 5000" "$ctl" --start --frequency=0
check "frequency too high" 13 "1 to 5000" "$ctl" --start --frequency=5001
check "frequency no number" 13 "1 to 5000" "$ctl" --start --frequency=fast
check "frequency needs force" 13 "add --force=frequency" "$ctl" --start --frequency=1001
check "force without a guard" 13 "a list of frequency, readers, periods, nmis" \
    "$ctl" --start --force --event=cycles
check "force as the last word" 2 "force" "$ctl" --start --force
check "force of another guard" 13 "add --force=frequency" \
    "$ctl" --start --force=readers,periods --frequency=1001
check "ring size" 13 "power of two" "$ctl" --start --ring-size=3
check "sampler" 13 "use nmi or timer" "$ctl" --start --sampler=pmu
check "event that there is not" 2 "no event 'mips'; xenopctl --list-events" \
    "$ctl" --start --event=mips:100000
check "event without a name" 2 "use NAME:COUNT" "$ctl" --start --event=100000
check "event and sampler" 2 "one of them" \
    "$ctl" --start --event=cycles --sampler=nmi
check "stacks" 13 "joined by commas" "$ctl" --start --stacks=xen,guests
check "guest root without a folder" 2 "is not DOM:PATH" \
    "$ctl" --start --guest-root=web
check "guest root that is not there" 2 "cannot be entered: No such file" \
    "$ctl" --start --guest-root=web:/nowhere
check "guest root that is no folder" 2 "is not a folder" \
    "$ctl" --start --guest-root=web:/dev/null
check "guest root that is dom0's" 2 "dom0's own root" \
    "$ctl" --start --guest-root=web:/
check "pcpus" 13 "0-3,7" "$ctl" --start --pcpus=0-
check "pcpus and cpupool" 2 "one of them" \
    "$ctl" --start --pcpus=0 --cpupool=Pool-0
check "duration" 13 "1 to" "$ctl" --start --duration=0
check "max age" 13 "1 minute to 366 days, as in" "$ctl" --start --max-age=5s
check "keep" 13 "1 to 366 days" "$ctl" --start --keep=0
check "keep and duration" 2 "one of them" \
    "$ctl" --start --keep=7 --duration=5
check "lease" 13 "1 to 3600" "$ctl" --start --lease=-1
check "record" 13 "1 to" "$ctl" --record=0
check "trace" 13 "runstates" "$ctl" --record=1 --no-module --trace=calls
check "trace of nothing" 2 "needs --start or --record" \
    "$ctl" --check --trace=runstates
check "no module, and samples" 2 "records no samples, so --stacks" \
    "$ctl" --record=1 --no-module --stacks=xen
check "domain id" 13 "0 to 32751" "$ctl" --start --passive-domains=32752
check "domain list" 2 "empty name" "$ctl" --start --passive-domains=3,,5
check "domain in both lists" 2 "one of them" \
    "$ctl" --start --passive-domains=web --active-domains=web
check "session name" 13 "up to 64" "$ctl" --save=a/b
check "session name that is taken" 13 "choose another" "$ctl" --save=current
check "no sessions yet" 0 "" "$ctl" --list-sessions --session-dir="$work/none"
check "daemon: stray word" 2 "unknown option 'now'" "$daemon" now
check "daemon: relative session dir" 2 "begin with" "$daemon" --session-dir=x

no_xen "--check not on Xen" 3 "1 thing is missing, see the row with no" "$ctl" --check
if grep -q "not run under Xen" "$work/out" && [ "$(wc -l <"$work/out")" = 2 ] &&
    grep -q "not asked without it: .*scheduling" "$work/out"; then
    result ok "it says it once, and what it could not ask"
else
    result "not ok" "it says it once, and what it could not ask"
    sed 's/^/# /' "$work/out"
fi
for verb in setup start stop dump status reset shutdown deinit \
            list-domains save=x record=1; do
    no_xen "--$verb not on Xen" 3 "does not run" "$ctl" "--$verb"
done
no_xen "daemon not on Xen" 3 "does not run on Xen" "$daemon"
no_xen "daemon not on Xen, foreground" 3 "does not run on Xen" \
    "$daemon" --foreground

mkdir -p "$work/dir/broken" "$work/dir/empty"
echo nonsense >"$work/dir/broken/DATA.0000"
check "sessions for programs" 0 "" \
    "$ctl" --list-sessions --json --session-dir="$work/dir"
if [ "$(grep -c '"state": "unreadable"' "$work/out")" = 2 ]; then
    result ok "have their state"
else
    result "not ok" "have their state"
    sed 's/^/# /' "$work/out"
fi
in_folder() { (cd "$1" && shift && "$@"); }
whole_ctl=$(cd "$(dirname "$ctl")" && pwd)/xenopctl
check "a session directory may be named from here" 0 "" \
    in_folder "$work" "$whole_ctl" --list-sessions --session-dir=dir
if [ "$(grep -c unreadable "$work/out")" = 2 ]; then
    result ok "it has both"
else
    result "not ok" "it has both"
    sed 's/^/# /' "$work/out"
fi
check "folders that are not sessions are listed as such" 0 "" \
    "$ctl" --list-sessions --session-dir="$work/dir"
if [ "$(grep -c unreadable "$work/out")" = 2 ]; then
    result ok "both are unreadable"
else
    result "not ok" "both are unreadable"
    sed 's/^/# /' "$work/out"
fi
echo "1..$count"
