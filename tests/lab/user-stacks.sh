# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: samples of dom0's programs have their callers, by name, down to main
# boot: plain
# usually: debian12
# guests: none

enough() {
    sleep 2
    # shellcheck disable=SC2046
    set -- $(known_chains /tmp/folded domain=0)
    [ "$3" -ge 400 ]
}

# On an emulated processor it takes a while until all that runs was looked at.
settled() {
    sleep 1
    xenopctl --status --json | grep -q '"waiting": {"samples": [0-9]\{1,2\},'
}

opagent 2>/tmp/agent &
agent=$!
must xenopctl --start --stacks=xen,kernel,user
wait_for 90 "the agent to be asked" agent_is Domain-0 present
wait_for 120 "fewer than 100 samples to wait" settled
known-stacks &
code=$!
wait_for 180 "300 samples of known-stacks" enough
kill $code
# shellcheck disable=SC2046
set -- $(known_chains /tmp/folded domain=0)
echo "$1 of $3 samples of known-stacks have the right chain, $2 are whole"
sort -k2 /tmp/folded | head -40
must xenopctl --status
echo "$said" | sed -n '/chains/,$p' | head -40
inlined=$(awk '/known_inlining;.*known_inner \(inlined\) [0-9]+$/ { sum += $NF }
    END { print sum + 0 }' /tmp/folded)
at_least "samples in functions that were inlined" "$inlined" 10
at_least "of whole chains, right ones, in hundredths" $(($1 * 100 / ($2 + !$2))) 97
# On a busy machine opagent may be asked too late for what begins to run.
at_least "of all, right ones, in hundredths" $(($1 * 100 / $3)) 70
hidden=$(awk '/known_hidden / { all += $NF } /;known_red_zone;known_hidden / { found += $NF }
    END { print int(found * 100 / (all + !all)) }' /tmp/folded)
at_least "of samples whose caller is in the red zone, found, in hundredths" "$hidden" 70
stop_and_check
must xenopreport --callgraph --filter=comm=known-stacks
echo "$said" | head -40
kill $agent
