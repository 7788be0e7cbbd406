# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a guest's stacks have names before and after it reboots
# boot: stacks
# limit: 400
# long: yes

guest=load-pv

# Counts from the given second of the session on.
whole_since() {
    folded --filter="time=$1.." >/tmp/since
    [ "$(whole_stacks $guest /tmp/since)" -ge 100 ]
}

must xl sched-credit2 -d $guest -c 30
work_at $guest syscalls
must xenopctl --setup
began=$(date +%s)
must xenopctl --start --passive-domains=$guest
wait_for 200 "stacks of $guest with names" whole_since 0
first=$(xl domid $guest)
ups=$(said_by $guest '^lab: up')
must xl sysrq $guest b
wait_for 150 "$guest to be up again" says_more $guest '^lab: up' "$ups"
[ "$(xl domid $guest)" != "$first" ] || fail "$guest is the same domain $first"
after=$(($(date +%s) - began + 1))
work_at $guest deep
wait_for 200 "stacks of $guest with names, after it came up again" \
    whole_since "$after"
stop_and_check
must xenopreport --folded
echo "$said" | grep "^$guest;" >/tmp/stacks
for function in vfs_write ep_poll_callback; do
    grep -q ";${function}_.k.[; ]" /tmp/stacks ||
        fail "no stack of $guest has $function"
done
