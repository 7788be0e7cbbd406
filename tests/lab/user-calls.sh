# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: samples in dom0's kernel have the callers of the process that it works for
# boot: plain
# long: yes
# usually: debian12
# guests: none
# limit: 600

enough() {
    sleep 2
    # shellcheck disable=SC2046
    set -- $(known_calls /tmp/calls domain=0)
    [ "$3" -ge 30 ]
}

opagent 2>/tmp/agent &
agent=$!
must xenopctl --start --stacks=xen,kernel,user,below
wait_for 90 "the agent to be asked" agent_is Domain-0 present
known-stacks &
code=$!
wait_for 240 "30 samples in the system call of known-stacks" enough
kill $code
# shellcheck disable=SC2046
set -- $(known_calls /tmp/calls domain=0)
echo "$1 of $3 samples in its system call have the right chain, $2 are whole"
sort -k2 /tmp/calls | head -40
at_least "of whole ones, right ones, in hundredths" $(($1 * 100 / ($2 + !$2))) 97
at_least "of all in its system call, right ones, in hundredths" $(($1 * 100 / $3)) 70
stop_and_check
kill $agent
