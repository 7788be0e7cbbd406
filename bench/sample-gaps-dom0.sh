# SPDX-License-Identifier: GPL-2.0-or-later
# In dom0, for bench/sample-gaps.sh, which puts its options into /root/options:
# a file in $OUT for each kind of sample, with lines `on TICKS` and `off TICKS`.
# shellcheck shell=sh disable=SC1091,SC2154,SC3043
. /root/options
log=/var/log/xen/guest-gaps.log

# own NAME MASK WINDOW ROOM
own() {
    /root/gap-load own "$2" "$3" "$4" "$turns" >"$OUT/$1" 2>/tmp/said ||
        { cat /tmp/said; exit 1; }
}

# The guest prints its gaps after each tenth of a second, and sees none while it
# prints, so this takes twice as many turns.
told_since() {
    sleep 0.5
    tail -n +$(($2 + 1)) $log | tr -d '\r' |
        sed -n "s/^test-kernel: gap /$1 /p"
}

# guest NAME MASK WINDOW
guest() {
    local from
    from=$(wc -l <$log)
    sleep $((turns / 5))
    told_since off "$from" >"$OUT/$1"
    from=$(wc -l <$log)
    /root/gap-load other "$id" "$uuid" "$2" "$3" $((2 * turns)) \
        2>/tmp/said || { cat /tmp/said; exit 1; }
    told_since on "$from" >>"$OUT/$1"
}

# counted NAME OPTION COMMAND...: what the module counts while the command runs.
counted() {
    local name=$1 option=$2
    shift 2
    # shellcheck disable=SC2086
    xenopctl --start --stacks=none --frequency=997 $option || exit 1
    "$@"
    xenopctl --stop || exit 1
    xenopctl --status --json >"$OUT/$name"
    xenopctl --shutdown
}

xenopctl --setup || exit 1
id=$(xl domid gaps) || exit 1
uuid=$(xenstore-read "/local/domain/$id/vm") || exit 1
uuid=${uuid#/vm/}

guest pvh-plain 3 0
guest pvh-frames 7 0
guest pvh-word 15 8
guest pvh-window 15 6144
for _ in 1 2 3 4 5 6 7 8 9 10 11; do
    LD_PRELOAD=/root/pause-time.so xenctx -S "$id" 0 2>&1 >"$OUT/trace" |
        sed -n 's/^paused /on /p'
done >"$OUT/xenctx"

# They would compete for the only pCPU.
xl pause gaps
own pv-plain 3 0 8192
own pv-frames 7 0 8192
own pv-word 15 8 8192
own pv-window 15 6144 8192
own pv-end 15 6144 1024
counted pv-cost "" timeout 1 sh -c 'while :; do :; done'
xl unpause gaps
counted pvh-cost --passive-domains=gaps sleep 1
xenopctl --deinit
