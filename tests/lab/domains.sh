# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a guest may die, be created and reboot while sampled, by id, name or all
# boot: main
# usually: debian13
# guests: pv1
# limit: 480

config=/lab/guests/pv1.cfg

sampled() {
    status_json /tmp/status
    rings /tmp/status | awk -F'|' -v id="$1" '
        $1 == id && $3 ~ /^v/ { made += $4 } END { exit made < 20 }'
}
# While the guest reboots, no domain has that name for a moment.
other_id() {
    local id
    id=$(xl domid pv1 2>/dev/null) && [ "$id" -gt "$1" ]
}

# By name, over a reboot: the next domain of that name is sampled as well.
first=$(xl domid pv1)
must xenopctl --start --passive-domains=pv1
wait_for 60 "samples of domain $first" sampled "$first"
must xl sysrq pv1 b
wait_for 60 "pv1 as another domain than $first" other_id "$first"
second=$(xl domid pv1)
wait_for 90 "samples of domain $second, which pv1 is now" sampled "$second"
stop_and_check
at_least "samples of pv1" "$(samples /tmp/report 'name == "pv1"')" 40

# By id: sampling ends with that domain.
must xenopctl --start --passive-domains="$second"
wait_for 60 "samples of domain $second" sampled "$second"
must xl destroy pv1
must xl create -q $config
third=$(xl domid pv1)
more_samples 150
status_json /tmp/status
rings /tmp/status | awk -F'|' -v id="$third" '$1 == id && $3 ~ /^v/' | grep -q . &&
    fail "domain $third is sampled, though only $second was asked for"
stop_and_check

# All: new domains are followed.
must xenopctl --start --passive-domains=all
wait_for 90 "samples of domain $third" sampled "$third"
must xl destroy pv1
ups=$(said_by pv1 '^lab: up')
must xl create -q $config
fourth=$(xl domid pv1)
wait_for 90 "samples of domain $fourth, which came while sampling" \
    sampled "$fourth"
stop_and_check

# The next scenario may pause it: not while its kernel boots.
wait_for 150 "pv1 to be up again" says_more pv1 '^lab: up' "$ups"
