# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a guest is migrated to its own host while sampled by name
# boot: main
# limit: 600
# long: yes

sampled() {
    status_json /tmp/status
    rings /tmp/status | awk -F'|' -v id="$1" '
        $1 == id && $3 ~ /^v/ { made += $4 } END { exit made < 20 }'
}

must xenopctl --start --passive-domains=pv1 --stacks=xen
wait_for 60 "samples of pv1" sampled "$(xl domid pv1)"
round=0
while [ $round -lt 2 ]; do
    round=$((round + 1))
    before=$(xl domid pv1)
    # Without a command for the way there, the host's name is what is run.
    must xl migrate -s '' pv1 'xl migrate-receive'
    after=$(xl domid pv1)
    [ "$after" != "$before" ] || fail "pv1 is the same domain $before"
    wait_for 90 "samples of pv1 after it was migrated" sampled "$after"
done
stop_and_check
at_least "samples of pv1" "$(samples /tmp/report 'name == "pv1"')" 60
