# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: xenoprofd runs as its own user, without capabilities, under a filter
# boot: main

# line KEY: of /proc/PID/status
line() {
    sed -n "s/^$1:[[:space:]]*//p" "/proc/$(daemon_pid)/status" |
        tr '\t' ' '
}

must xenopctl --start
user=$(id -u xenoprof)
equal "its user ids" "$(line Uid)" "$user $user $user $user"
group=$(id -g xenoprof)
equal "its group ids" "$(line Gid)" "$group $group $group $group"
equal "its other groups" "$(line Groups | tr -d ' ')" ""
for set in CapInh CapPrm CapEff CapBnd CapAmb; do
    equal "its capabilities $set" "$(line $set)" 0000000000000000
done
equal "NoNewPrivs" "$(line NoNewPrivs)" 1
equal "Seccomp" "$(line Seccomp)" 2
at_most "its memory in KiB" "$(line VmRSS | awk '{ print $1 }')" 30720

# All threads, not only the first.
for task in /proc/"$(daemon_pid)"/task/*/status; do
    grep -q '^Seccomp:.*2' "$task" || fail "$task is not filtered"
    grep -q '^CapEff:.*0000000000000000' "$task" || fail "$task has capabilities"
done

# The daemon owns what it writes, and nobody else can read it.
stop_and_check
equal "the session's owner and mode" \
    "$(stat -c '%U %a' $sessions/current)" "xenoprof 700"
for file in $sessions/current/*; do
    equal "owner and mode of $file" "$(stat -c '%U %a' "$file")" "xenoprof 600"
done
equal "the control socket's owner" "$(stat -c '%a' /run/xenoprof/control)" 600
