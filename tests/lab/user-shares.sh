# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: shares of a program's functions are what it says itself, within two points
# boot: plain
# guests: none
# limit: 900
# long: yes

begun() {
    sleep 2
    known_shares /tmp/folded-shares domain=0 >/tmp/shares
    [ -s /tmp/shares ]
}

# Of what it does from $after on. By chance a third of 4000 samples is a share that is
# more than two hundredths off in one session of a hundred.
enough_shares() {
    sleep 3
    known_shares /tmp/folded-shares "domain=0,time=$after.." >/tmp/shares
    [ "$(awk '{ sum += $2 } END { print sum + 0 }' /tmp/shares)" -ge 4000 ]
}

opagent 2>/tmp/agent &
agent=$!
began=$(date +%s)
must xenopctl --start --stacks=xen,kernel,user
wait_for 90 "the agent to be asked" agent_is Domain-0 present
wait_for 120 "fewer than 100 samples to wait" settled
known-stacks >/tmp/account &
code=$!
wait_for 180 "samples of known-stacks" begun
known_account $code /tmp/account
after=$(($(date +%s) - began))
wait_for 400 "4000 samples of known-stacks" enough_shares
known_account $code /tmp/account
kill $code
stop_and_check

# Where it was is where it says that it was.
known_shares /tmp/folded-shares "domain=0,time=$after.." >/tmp/shares
differences /tmp/shares /tmp/account >/tmp/differences
echo "samples and time of what known-stacks did, in thousandths:"
sort /tmp/differences
equal "functions that known-stacks has an account of" "$(wc -l </tmp/differences)" 7
at_most "thousandths between a function's samples and its time" \
    "$(sort -k4 -n /tmp/differences | tail -n 1 | cut -d' ' -f4)" 20
kill $agent
