# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2154
# Agents, and the chains of a program that are known.

# agent_is DOMAIN STATE: what --status says of the agent in the domain of that name.
agent_is() {
    xenopctl --status --json |
        grep -q "\"domain_name\": \"$1\", \"state\": \"$2\""
}

# known_chains FILE FILTER: 'RIGHT WHOLE ALL': samples of known-stacks whose chain is
# one of those that there are, those that were not cut short, and all; FILE has them.
known_chains() {
    folded --filter="comm=known-stacks,mode=user,$2" >"$1" || return 1
    awk '{
        count = $NF
        sub(/ [0-9]+$/, "")
        all += count
        if (!/\[truncated\]/) whole += count
        if ($0 ~ /;main;known_plain;known_leaf$/ ||
            $0 ~ /;main;known_alloca;known_leaf$/ ||
            $0 ~ /;main;known_realigned;known_leaf$/ ||
            $0 ~ /;main;known_red_zone;known_hidden$/ ||
            $0 ~ /;main;known_inlining;known_outer \(inlined\);known_inner \(inlined\)$/ ||
            $0 ~ /;main;known_sort;([^;]*;)+known_compare;known_leaf$/ ||
            ($0 ~ /;main;known_deep;(known_deep;)*known_leaf$/ &&
                gsub(/known_deep/, "") == 30))
            right += count
    }
    END { print right + 0, whole + 0, all + 0 }' "$1"
}

# known_calls FILE FILTER: the same of those in its system call; FILE has all that
# are in the kernel.
known_calls() {
    folded --filter="comm=known-stacks,mode=kernel,$2" >"$1" || return 1
    awk '/getrandom/ {
        count = $NF
        all += count
        if (!/\[truncated\]/) whole += count
        if ($0 ~ /;main;known_calls;known_call[^;]*;entry_SYSCALL_64[^;]*_.k.;.*getrandom/)
            right += count
    }
    END { print right + 0, whole + 0, all + 0 }' "$1"
}

# On an emulated processor it takes a while until all that runs was looked at.
settled() {
    sleep 1
    xenopctl --status --json | grep -q '"waiting": {"samples": [0-9]\{1,2\},'
}

# known_shares FILE FILTER: 'FUNCTION SAMPLES' of each function that main of
# known-stacks calls, all but its system call, by samples in user mode.
known_shares() {
    folded --filter="comm=known-stacks,mode=user,$2" >"$1" || return 1
    awk '{
        count = $NF
        sub(/ [0-9]+$/, "")
        if (match($0, /;main;known_[a-z_]+/)) {
            name = substr($0, RSTART + 6, RLENGTH - 6)
            if (name != "known_calls") sum[name] += count
        }
    }
    END { for (name in sum) print name, sum[name] }' "$1"
}

# known_account PID FILE: adds what known-stacks, which prints to FILE, says of itself.
known_account() {
    local before
    before=$(grep -cx '\.' "$2") || true
    kill -USR1 "$1"
    wait_for 60 "known-stacks to print its account" said_more "$2" "$before"
}

said_more() {
    [ "$(grep -cx '\.' "$1")" -gt "$2" ]
}

# differences SHARES ACCOUNTS: for each function its share of the samples, and of the
# time between the first account and the last, in thousandths: 'FUNCTION SAMPLES TIME
# DIFFERENCE'.
differences() {
    awk 'FNR == NR { samples[$1] = $2; all += $2; next }
        $1 == "known_calls" { next }
        NF == 2 && !($1 in first) { first[$1] = $2 }
        NF == 2 { last[$1] = $2 }
        END {
            for (name in last) time += last[name] - first[name]
            for (name in last) {
                ours = 1000 * samples[name] / (all + !all)
                its = 1000 * (last[name] - first[name]) / (time + !time)
                far = ours > its ? ours - its : its - ours
                printf "%s %d %d %d\n", name, ours, its, far + 0.999
            }
        }' "$1" "$2"
}

# Each of $guests has an agent that answers.
agents_are_present() {
    for guest in $guests; do
        agent_is $guest present || return 1
    done
}

# chains GUEST: of samples since all is known, $after seconds after the start.
agent_chains() {
    known_chains "/tmp/folded-$1" "domain=$1,time=$after.."
}

# Reports cost the guests the time that they should work in.
agents_have_enough() {
    sleep 3
    for guest in $guests; do
        # shellcheck disable=SC2046
        set -- $(agent_chains $guest)
        [ "$3" -ge 200 ] || return 1
    done
}

# The rows of all guests are fetched, and some chains were walked.
agents_are_settled() {
    sleep 3
    for guest in $guests; do
        # shellcheck disable=SC2046
        set -- $(agent_chains $guest)
        [ "$1" -ge 20 ] || return 1
    done
}

# The chains of known-stacks in $guests are right, of a session that began at $began.
judge_agents() {
    wait_for 250 "chains of both guests" agents_are_settled
    after=$(($(date +%s) - began))
    wait_for 250 "200 samples of both guests once all is known" agents_have_enough
    for guest in $guests; do
        # shellcheck disable=SC2046
        set -- $(agent_chains $guest)
        echo "$guest: $1 of $3 samples of known-stacks have the right chain, $2 are whole"
        sort -k2 "/tmp/folded-$guest" | head -20
        at_least "of $guest's whole chains, right ones, in hundredths" \
            $(($1 * 100 / ($2 + !$2))) 97
        at_least "of all, right ones, in hundredths" $(($1 * 100 / $3)) 70
    done
    must xenopctl --status
    echo "$said" | grep -A 12 '^agents'
}
