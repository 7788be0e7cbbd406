# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: samples of dom0's programs say in which function they were
# boot: plain
# long: yes
# guests: none

# named FUNCTION: samples in it, and in what known-code should never be in.
named() {
    echo "$said" | awk -v wanted="$1" '
        /"comm": "known-code"/ && /"samples": / {
            count = $0
            sub(/.*"samples": /, "", count)
            all += count
            if (index($0, "\"symbol\": \"" wanted "\"") &&
                /"image": "[^"]*\/known-code"/)
                right += count
        }
        END { print right + 0, all + 0 }'
}

enough() {
    sleep 2
    must xenopreport --json --sort=comm,image,symbol --filter="domain=0,mode=user"
    # shellcheck disable=SC2046
    set -- $(named work_of_a_child)
    [ "$1" -ge 50 ]
}

# Without an agent there are addresses, and --status says why.
must xenopctl --start --stacks=xen
wait_for 30 "the agent to be missed" agent_is Domain-0 absent
opagent 2>/tmp/agent &
agent=$!
wait_for 90 "the agent to be asked" agent_is Domain-0 present
known-code &
code=$!
wait_for 120 "50 samples of short processes with a name" enough
# shellcheck disable=SC2046
set -- $(named work_of_a_child) $(named work_of_the_parent)
echo "$(($1 + $3)) of $2 samples of known-code have the right name"
at_least "samples with the right name, in hundredths" $((($1 + $3) * 100 / $2)) 95
must xenopctl --status
echo "$said" | grep -A 3 '^agents'
cat /tmp/agent
# One that ends costs names, never samples, and one that comes back is asked.
kill $agent
wait_for 60 "the agent to be missed again" agent_is Domain-0 absent
more_samples 100
opagent 2>/tmp/agent &
agent=$!
wait_for 90 "the agent to be asked again" agent_is Domain-0 present
kill $code
stop_and_check
kill $agent
