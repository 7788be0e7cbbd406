# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The guests, seen from dom0.

log_of() {
    echo "/var/log/xen/guest-$1.log"
}

# state_of NAME: up, gone, crashed or ended (shut down, but kept).
state_of() {
    xl list "$1" 2>/dev/null | awk '
        NR == 2 { state = $5 ~ /c/ ? "crashed" : $5 ~ /s/ ? "ended" : "up" }
        END { print state ? state : "gone" }'
}

# A boot loader may have set its colours on the same line before.
has_started() {
    grep -q 'lab: up' "$(log_of "$1")" 2>/dev/null
}

# wait_for NAME DEADLINE
wait_for() {
    until has_started "$1"; do
        if [ "$(state_of "$1")" != up ] || [ "$(date +%s)" -gt "$2" ]; then
            return 1
        fi
        sleep 0.3
    done
}

# Where instructions are counted one CPU does the work of all of them, and one
# that is up and works would slow down the others' way up.
may_start_together() {
    [ -z "$icount" ]
}

start_guests() {
    deadline=$(($(date +%s) + guests_limit))
    result=0
    while read -r name; do
        xl create -q "/lab/guests/$name.cfg" || result=1
        may_start_together || wait_for "$name" $deadline
    done </lab/guests/list
    while read -r name; do
        wait_for "$name" $deadline || {
            echo "not up in time: $name"
            registers_of "$name"
            result=1
        }
    done </lab/guests/list >>$back/guests
    [ $result = 0 ] || look_at_guests
    return $result
}

registers_of() {
    domain=$(xl domid "$1" 2>/dev/null) && xenctx -a "$domain" 2>&1
}

# What the host needs to tell a guest that crashed from one that the script
# ended: a line of state and name for each, and the registers of those.
look_at_guests() {
    while read -r name; do
        state=$(state_of "$name")
        echo "$state $name"
        [ "$state" != crashed ] || registers_of "$name"
    done </lab/guests/list >>$back/guests
}
