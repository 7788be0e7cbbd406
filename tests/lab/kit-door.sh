# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The module seen through hypfs, without the daemon, and the processes that run.

# What the module itself reports, whatever the daemon does. Xen answers a read
# with another node's content now and then, so it is asked again.
door_number() {
    local found='' round=0
    while [ -z "$found" ] && [ $round -lt 10 ]; do
        found=$(xenhypfs cat /xenoprof/status 2>/dev/null | tr -d '\0' |
            awk -v key="$1:" '$1 == key { print $2 }')
        round=$((round + 1))
    done
    echo "$found"
}

door_at_least() {
    [ "$(door_number "$1")" -ge "$2" ]
}

# door_command WORDS: succeeds if the module took it. Only for scenarios without a
# daemon. A long command comes back with EAGAIN: repeat it.
door_command() {
    local said
    until said=$(xenhypfs write /xenoprof/command "$*" 2>&1); do
        case $said in
        *'Resource temporarily unavailable'*) ;;
        *)
            echo "$said"
            return 1
            ;;
        esac
    done
}

# more_samples N: waits until N more samples are made.
more_samples() {
    local now
    now=$(door_number made)
    wait_for 120 "$1 more samples than $now" door_at_least made $((now + $1))
}

# Without the daemon's keeper and its processes.
daemon_pid() {
    local pid
    for pid in $(pidof xenoprofd); do
        [ "$(cat /proc/"$pid"/comm)" != xenoprofd ] || echo "$pid"
    done
}

# daemon_line KEY: of /proc/PID/status
daemon_line() {
    sed -n "s/^$1:[[:space:]]*//p" "/proc/$(daemon_pid)/status" |
        tr '\t' ' '
}

# check_daemon_is_small: it has its own user, no capabilities and a filter; so have
# all its threads.
check_daemon_is_small() {
    local user group set task
    user=$(id -u xenoprof)
    equal "its user ids" "$(daemon_line Uid)" "$user $user $user $user"
    group=$(id -g xenoprof)
    equal "its group ids" "$(daemon_line Gid)" "$group $group $group $group"
    equal "its other groups" "$(daemon_line Groups | tr -d ' ')" ""
    for set in CapInh CapPrm CapEff CapBnd CapAmb; do
        equal "its capabilities $set" "$(daemon_line $set)" 0000000000000000
    done
    equal "NoNewPrivs" "$(daemon_line NoNewPrivs)" 1
    equal "Seccomp" "$(daemon_line Seccomp)" 2
    for task in /proc/"$(daemon_pid)"/task/*/status; do
        grep -q '^Seccomp:.*2' "$task" || fail "$task is not filtered"
        grep -q '^CapEff:.*0000000000000000' "$task" ||
            fail "$task has capabilities"
    done
}

# xen_build: the hypervisor's build-id.
xen_build() {
    xl info build_id
}
