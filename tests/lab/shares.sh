# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: two guests' shares are within 2 points of the CPU time that Xen accounts
# boot: shares
# long: yes
# limit: 300

ids="$(xl domid held-pv) $(xl domid held-pvh)"

# Both are paused when Xen's account is read.
each_guest() {
    must xl "$1" held-pv
    must xl "$1" held-pvh
}

must xenopctl --start --passive-domains=held-pv,held-pvh --stacks=none \
    --frequency=500 --lease=60
cpu_times
pv_before=$pv pvh_before=$pvh
each_guest unpause
more_samples 15000
each_guest pause
cpu_times
pv=$(((pv - pv_before) / 1000)) pvh=$(((pvh - pvh_before) / 1000))
stop_and_check
pv_samples=$(samples /tmp/report 'name == "held-pv"')
pvh_samples=$(samples /tmp/report 'name == "held-pvh"')
at_least "samples of the two guests" $((pv_samples + pvh_samples)) 6000
accounted=$((pv * 1000 / (pv + pvh)))
pv_time=$(time_us /tmp/report 'name == "held-pv"')
pvh_time=$(time_us /tmp/report 'name == "held-pvh"')
sampled=$((pv_time * 1000 / (pv_time + pvh_time)))
echo "held-pv of both, in thousandths: Xen's account $accounted," \
    "the report $sampled, by $((pv_samples + pvh_samples)) samples"
at_least "thousandths that are held-pv's" "$accounted" 50
at_most "thousandths between the two shares" \
    $((accounted > sampled ? accounted - sampled : sampled - accounted)) 20
