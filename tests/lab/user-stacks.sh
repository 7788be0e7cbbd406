# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: samples of dom0's programs have their callers, by name, down to main
# boot: plain
# usually: debian12
# guests: none
# limit: 900

secret=XP-USER-SECRET

enough() {
    sleep 2
    # shellcheck disable=SC2046
    set -- $(known_chains /tmp/folded domain=0)
    [ "$3" -ge 400 ]
}

# in_memory PID: prints what the process has in its memory.
in_memory() {
    grep -E '^[0-9a-f]+-[0-9a-f]+ rw' "/proc/$1/maps" | tr - ' ' |
        while read -r from to _; do
            dd if="/proc/$1/mem" bs=4096 skip=$((0x$from / 4096)) \
                count=$(((0x$to - 0x$from) / 4096)) 2>/dev/null
        done
}

# Nobody's core would have it: none of them may leave one.  One of the processes
# that xenoprofd has may have ended since it was listed, but not these themselves.
leaves_no_core() {
    limits=$(cat "/proc/$1/limits" 2>/dev/null)
    if [ -z "$limits" ] && [ ! -e "/proc/$1" ]; then
        [ "$2" = others ] || fail "$2 has ended"
        return
    fi
    echo "$limits" | grep -Eq '^Max core file size +0 +0 ' ||
        fail "process $1 ($(cat "/proc/$1/comm")) may leave a core: $limits"
}

opagent 2>/tmp/agent &
agent=$!
must xenopctl --start --stacks=xen,kernel,user
wait_for 90 "the agent to be asked" agent_is Domain-0 present
wait_for 120 "fewer than 100 samples to wait" settled
known-stacks >/dev/null &
code=$!
wait_for 180 "300 samples of known-stacks" enough
must save-rings /tmp/rings
in_memory $code | grep -aq $secret ||
    fail "known-stacks has no secret in its memory: that others do not means nothing"
if in_memory $agent | grep -aq $secret; then
    fail "opagent has the secret of known-stacks' stack in its memory"
fi
leaves_no_core $agent opagent
leaves_no_core "$(daemon_pid)" xenoprofd
for pid in $(pidof xenoprofd); do
    leaves_no_core "$pid" others
done
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

# Its stack's secret was in what Xen recorded, but nothing that is kept has it.
grep -aq $secret /tmp/rings ||
    fail "the secret is not in the rings: that it is not on disk means nothing"
unpack-all "$sessions"/current/* >/tmp/unpacked || fail "the session is not packed as expected"
found=$(grep -al $secret /tmp/unpacked /tmp/agent
    grep -arl $secret /var/lib/xenoprof /run/xenoprof /var/log 2>/dev/null)
[ -z "$found" ] || fail "the secret is in $found"
must xenopreport --callgraph --filter=comm=known-stacks
echo "$said" | head -40
# And the lines of source of what has debug information.
must xenopreport --table --sort=comm,symbol,line --filter=comm=known-stacks
says 'known_leaf.*[k]s\.c:[0-9]+'
kill $agent
