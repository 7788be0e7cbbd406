# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The guests, seen from dom0.

guests_limit=240 # seconds until all must be up

log_of() {
    echo "/var/log/xen/guest-$1.log"
}

# state_of NAME: xl's state letters, or 'gone'.
state_of() {
    xl list "$1" 2>/dev/null | awk 'NR == 2 { s = $5 } END { print s ? s : "gone" }'
}

is_up() {
    grep -q '^lab: up' "$(log_of "$1")" 2>/dev/null
}

is_dead() {
    case $(state_of "$1") in
    gone | *c* | *s*) return 0 ;;
    esac
    return 1
}

# wait_for NAME DEADLINE
wait_for() {
    until is_up "$1"; do
        if is_dead "$1" || [ "$(date +%s)" -gt "$2" ]; then
            return 1
        fi
        sleep 0.3
    done
}

start_guests() {
    deadline=$(($(date +%s) + guests_limit))
    result=0
    while read -r name; do
        xl create -q "/lab/guests/$name.cfg" || result=1
    done </lab/guests/list
    while read -r name; do
        wait_for "$name" $deadline || {
            echo "$name did not come up: $(state_of "$name")" >>$back/guests
            result=1
        }
    done </lab/guests/list
    [ $result = 0 ] || look_at_guests
    return $result
}

# What the host needs to tell a guest that died by itself from one that the
# script ended: the state, and the registers of those that crashed.
look_at_guests() {
    while read -r name; do
        state=$(state_of "$name")
        echo "$name $state"
        case $state in
        *c*) xenctx -a "$(xl domid "$name")" 2>&1 ;;
        esac
    done </lab/guests/list >>$back/guests
    xl list >>$back/guests
}
