# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: kernels are found in guests' memory, name their stacks, leave no bytes
# boot: names
# limit: 600

guests='zero-pv zero-pvh'
secret=XPSECRET

# symbols GUEST: the guest's own names for its code, to /tmp/GUEST.symbols.
symbols() {
    local log="/var/log/xen/guest-$1.log"
    wait_for 180 "$1 to say its symbols" grep -q KALLSYMS-END "$log"
    tr -d '\r' <"$log" | sed -n '/^KALLSYMS$/,/^KALLSYMS-END$/p' |
        grep -v '^KALLSYMS' | base64 -d | gunzip >"/tmp/$1.symbols"
    at_least "symbols that $1 says it has" "$(wc -l <"/tmp/$1.symbols")" 20000
}

# wrong_names GUEST: places whose name is none that the guest has for the last
# symbol at or below their address. All addresses have 16 digits, so they are
# sorted as text.
wrong_names() {
    {
        awk '{ print $1, 0, $3 }' "/tmp/$1.symbols"
        rows /tmp/report | awk -F'|' -v guest="$1" '
            $2 == guest && $3 == "kernel" { print substr($6, 3), 1, $5 }'
    } | sort | awk '
        $2 == 0 {
            if ($1 != last) names = " "
            last = $1
            names = names $3 " "
        }
        $2 == 1 {
            asked++
            if (index(names, " " $3 " ") == 0)
                print $3 ", which the guest calls" names
        }
        END { print asked + 0 >"/dev/stderr" }' 2>/tmp/asked
}

# strange_names GUEST: frames of its stacks that it has no such symbol for.
strange_names() {
    sed 's/ [0-9]*$//' /tmp/stacks | tr ';' '\n' | sed -n 's/_\[k\]$//p' |
        sort -u >/tmp/names
    cut -d' ' -f3 "/tmp/$1.symbols" | sort -u >/tmp/own
    grep -vxFf /tmp/own /tmp/names || [ $? = 1 ]
}

for guest in $guests; do
    symbols "$guest"
    # They would take all that dom0 does not.
    must xl sched-credit2 -d "$guest" -c 30
done
# shellcheck disable=SC2086
sample_kernels $guests
must save-rings /tmp/rings
more_samples 100
stop_and_check
must xenopreport --folded --filter="time=$after.."
echo "$said" >/tmp/folded
report_json /tmp/report --filter="time=$after.." \
    --sort=domain,mode,image,symbol,address
unpack "$sessions"/current/* >/tmp/unpacked ||
    fail "the session is not packed as expected"

for guest in $guests; do
    grep "^$guest;.*_\[k\] " /tmp/folded >/tmp/stacks
    at_least "samples in $guest's kernel" \
        "$(awk '{ sum += $NF } END { print sum + 0 }' /tmp/stacks)" 100
    wrong=$(wrong_names "$guest")
    [ -z "$wrong" ] || fail "$guest's names are not its own: $wrong"
    at_least "addresses of $guest whose names were compared" "$(cat /tmp/asked)" 5
    strange=$(strange_names "$guest")
    [ -z "$strange" ] || fail "$guest has no functions of these names: $strange"
    at_least "functions in $guest's stacks" "$(wc -l </tmp/names)" 8
    grep -aq "release=$(uname -r | cut -d. -f1)" /tmp/unpacked ||
        fail "the session does not say which kernel was found"
done

# The secret was in what Xen recorded, and is in nothing that is kept.
cat /tmp/rings/* | grep -aq $secret ||
    fail "the guests' secret is not in the rings: that it is not on disk means nothing"
if grep -aq $secret /tmp/unpacked; then
    fail "the guests' secret is in the session"
fi
found=$(grep -rl $secret /var/lib/xenoprof /run/xenoprof /var/log 2>/dev/null |
    grep -v /var/log/xen/guest-)
[ -z "$found" ] || fail "the guests' secret is in $found"

# The child that read all this is shut in, and is gone with its session.
must xenopctl --start --passive-domains=zero-pv
more_samples 100
for pid in $(pidof xenoprofd); do
    [ "$(cat /proc/"$pid"/comm)" = xenoprof-kernel ] || continue
    child=$pid
done
[ -n "${child:-}" ] || fail "there is no process for guests' kernels"
equal "descriptors of the child" "$(find /proc/"$child"/fd -type l | wc -l)" 2
for line in NoNewPrivs:1 Seccomp:2 CapEff:0000000000000000 CapBnd:0000000000000000; do
    equal "the child's ${line%%:*}" \
        "$(sed -n "s/^${line%%:*}:[[:space:]]*//p" /proc/"$child"/status)" "${line##*:}"
done
# Killing it costs names, never samples.
kill -KILL "$child"
more_samples 200
stop_and_check
