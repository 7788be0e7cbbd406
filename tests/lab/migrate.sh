# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a guest is migrated to its own host while sampled by name
# boot: stacks
# guests: load-pvh
# limit: 900
# long: yes

# A PVH guest: Debian builds Xen without shadow paging, so its PV guests cannot be
# migrated ("Failed to enable logdirty", with and without the module).
sampled() {
    status_json /tmp/status
    rings /tmp/status | awk -F'|' -v id="$1" '
        $1 == id && $3 ~ /^v/ { made += $4 } END { exit made < 20 }'
}

work_at load-pvh syscalls
must xenopctl --start --passive-domains=load-pvh
wait_for 60 "samples of load-pvh" sampled "$(xl domid load-pvh)"
round=0
while [ $round -lt 2 ]; do
    round=$((round + 1))
    before=$(xl domid load-pvh)
    # Without a command for the way there, the host's name is what is run.
    must xl migrate -s '' load-pvh 'xl migrate-receive'
    after=$(xl domid load-pvh)
    [ "$after" != "$before" ] || fail "load-pvh is the same domain $before"
    wait_for 90 "samples of load-pvh after it was migrated" sampled "$after"
done
stop_and_check
at_least "samples of load-pvh" \
    "$(samples /tmp/report 'name == "load-pvh"')" 60
