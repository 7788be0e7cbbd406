# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: two guests' shares are the CPU time that Xen accounts, within 2 points
# boot: shares
# limit: 600
# long: yes

# Tenths of a second, as xl list has them.
cpu_time() {
    xl list "$1" | awk 'NR == 2 { print int($6 * 10 + 0.5) }'
}

must xenopctl --start --passive-domains=pv1,pv2
one=$(cpu_time pv1) two=$(cpu_time pv2)
more_samples 2500
one=$(($(cpu_time pv1) - one)) two=$(($(cpu_time pv2) - two))
stop_and_check
first=$(samples /tmp/report 'name == "pv1"')
second=$(samples /tmp/report 'name == "pv2"')
accounted=$((one * 1000 / (one + two)))
sampled=$((first * 1000 / (first + second)))
echo "pv1 of both, in thousandths: Xen's account $accounted, samples $sampled"
at_most "thousandths between the two shares" \
    $((accounted > sampled ? accounted - sampled : sampled - accounted)) 20
