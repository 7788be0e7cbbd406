# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: the default budget never lowers the frequency, and costs and times are right
# boot: main
# long: yes
# guests: none
# limit: 300

# 10 seconds of two busy pCPUs, or more of less busy ones.
wanted=${wanted:-2000}

must xenopctl --start
hypercall-loop 3600 >/dev/null &
first=$!
hypercall-loop 3600 >/dev/null &
second=$!
while [ "$wanted" -gt 0 ]; do
    more_samples 1000
    wanted=$((wanted - 1000))
done
kill $first $second
wait $first $second || :
stop_and_check

# Before Xen's clock was asked about points ahead only, a sample whose clock was
# calibrated between its halves cost centuries, and halved the frequency.
duration=$(number /tmp/report duration_ns)
echo "cost $(number /tmp/status cost_ns) ns in $duration ns;" \
    "calibrated between the halves: $(door_number calibrated)"
equal "how often the budget lowered the frequency" \
    "$(number /tmp/status slowed)" 0
equal "the frequency" "$(number /tmp/status frequency)" 97
at_most "cost, in thousandths of a pCPU's time" \
    "$(($(number /tmp/status cost_ns) / (duration / 1000)))" 100

# No sample is outside the session.
report_json /tmp/inside "--filter=time=0..$((duration / 1000000000 + 1))"
equal "samples from the start to the end" "$(samples /tmp/inside 1)" \
    "$(samples /tmp/report 1)"
