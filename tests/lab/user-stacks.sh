# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: samples of dom0's programs have their callers, by name, down to main
# boot: plain
# usually: debian12
# guests: none

# chains: 'RIGHT WHOLE ALL': samples of known-stacks whose chain is one of those
# that there are, those that were not cut short, and all.
chains() {
    xenopreport --folded --filter="domain=0,comm=known-stacks,mode=user" >/tmp/folded ||
        return 1
    awk '{
        count = $NF
        sub(/ [0-9]+$/, "")
        all += count
        if (!/\[truncated\]/) whole += count
        if ($0 ~ /;main;known_plain;known_leaf$/ ||
            $0 ~ /;main;known_alloca;known_leaf$/ ||
            $0 ~ /;main;known_realigned;known_leaf$/ ||
            $0 ~ /;main;known_sort;([^;]*;)+known_compare;known_leaf$/ ||
            ($0 ~ /;main;known_deep;(known_deep;)*known_leaf$/ &&
                gsub(/known_deep/, "") == 30))
            right += count
    }
    END { print right + 0, whole + 0, all + 0 }' /tmp/folded
}

enough() {
    sleep 2
    # shellcheck disable=SC2046
    set -- $(chains)
    [ "$3" -ge 300 ]
}

present() {
    xenopctl --status --json | grep -q '"agent": {"state": "present"'
}

# On an emulated processor it takes a while until all that runs was looked at.
settled() {
    sleep 1
    xenopctl --status --json | grep -q '"waiting": {"samples": [0-9]\{1,2\},'
}

opagent 2>/tmp/agent &
agent=$!
must xenopctl --start --stacks=xen,kernel,user
wait_for 90 "the agent to be asked" present
wait_for 120 "fewer than 100 samples to wait" settled
known-stacks &
code=$!
wait_for 180 "300 samples of known-stacks" enough
kill $code
# shellcheck disable=SC2046
set -- $(chains)
echo "$1 of $3 samples of known-stacks have the right chain, $2 are whole"
sort -k2 /tmp/folded | head -40
must xenopctl --status
echo "$said" | sed -n '/chains/,$p' | head -40
at_least "of whole chains, right ones, in hundredths" $(($1 * 100 / ($2 + !$2))) 97
# On a busy machine opagent may be asked too late for what begins to run.
at_least "of all, right ones, in hundredths" $(($1 * 100 / $3)) 70
stop_and_check
must xenopreport --callgraph --filter=comm=known-stacks
echo "$said" | head -40
kill $agent
