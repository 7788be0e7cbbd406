# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: an impossible consumer index stops its own ring, and nothing else
# boot: plain
# long: yes
# limit: 300

# The ring's vCPU has to run until a sample of it is lost.
has_lost_samples() {
    status_json /tmp/status
    [ "$(number /tmp/status stopped)" -ge 1 ]
}

# Ahead of the producer, further behind it than the largest ring, not a multiple
# of 8, and what an attacker tries first.
for value in +8 +4096 -16777216 +4 0xffffffffffffffff 0x7ffffffffffffff8; do
    must xenopctl --start --frequency=997 --stacks=xen
    more_samples 100
    must spoil-index 0 $value 20
    # The ring's samples are still counted, and the other rings are still read.
    more_samples 100
    must xenopctl --status
    says stopped
    wait_for 60 "samples lost to a stopped ring, with index $value" has_lost_samples
    must xenopctl --stop
    status_json /tmp/status
    equal "made, and read + lost, with index $value" \
        "$(number /tmp/status made)" \
        "$(($(number /tmp/status read) + $(number /tmp/status lost)))"
    report_json /tmp/report
    check_report /tmp/report /tmp/status
done
