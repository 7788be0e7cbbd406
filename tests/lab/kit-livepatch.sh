# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Livepatches: other people's, and ours as Xen's loader sees it.

# find_own_module: sets $kept to the module for this Xen without other payloads.
find_own_module() {
    must xenopctl --setup
    must xenopctl --deinit
    kept=$(cat /tests/own-module)
    [ -s "$kept" ] || fail "--setup did not keep $kept"
}

# livepatch ACTION NAME...: tries again when the pCPUs did not meet within Xen's
# 30 ms, which is common under emulation.
livepatch() {
    local round=0
    while ! xen-livepatch "$@" >/tmp/livepatch.said 2>&1; do
        round=$((round + 1))
        if [ $round -ge 15 ] ||
            ! grep -qiE 'busy|resource|again|error 16' /tmp/livepatch.said; then
            cat /tmp/livepatch.said
            return 1
        fi
    done
}

# Names of the payloads that are applied or uploaded, oldest first.
payloads() {
    xen-livepatch list 2>/dev/null |
        awk -F'|' 'NR > 2 { gsub(/ /, "", $1); print $1 }'
}

loaded() {
    payloads | grep -qx "$1"
}

# make_payload KIND NAME OWN DEPENDS [XEN]: a copy of a test payload as
# /tmp/NAME.livepatch, with those build-ids.
make_payload() {
    cp "/tests/payloads/$1.livepatch" "/tmp/$2.livepatch"
    must payload-ids "/tmp/$2.livepatch" "$3" "$4" "${5:-$(xen_build)}"
}

# put_in NAME [--nodeps]: uploads and applies /tmp/NAME.livepatch.
put_in() {
    must xen-livepatch upload "$1" "/tmp/$1.livepatch"
    must livepatch apply "$@"
}

take_out() {
    must livepatch revert "$1"
    must xen-livepatch unload "$1"
}
