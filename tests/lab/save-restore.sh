# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a guest may be saved and restored while it is sampled by name
# boot: main
# long: yes
# guests: pv1
# limit: 480

sampled() {
    status_json /tmp/status
    rings /tmp/status | awk -F'|' -v id="$1" '
        $1 == id && $3 ~ /^v/ { made += $4 } END { exit made < 20 }'
}

first=$(xl domid pv1)
must xenopctl --start --passive-domains=pv1
wait_for 60 "samples of pv1" sampled "$first"
must xl save pv1 /tmp/pv1.save
must xl restore /tmp/pv1.save
second=$(xl domid pv1)
wait_for 90 "samples of pv1 after it was restored" sampled "$second"
stop_and_check
at_least "samples of pv1" "$(samples /tmp/report 'name == "pv1"')" 40
