# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: four events on a software PMU: each overflow is accounted for, and no NMI is nobody's
# loads: yes
# boot: main
# usually: debian12
# guests: pv1

# The emulator has no counters: this module has, in software (payloads/), with
# handlers that are held up now and then. An NMI that leaks is in dom0's log, where
# the runner looks.
mkdir /tmp/objects
cp /usr/lib/xenoprof/xenoprof-*.o /tmp/objects/
cp /tests/payloads/software-module.o /tmp/objects/xenoprof-module.o
export XENOPROF_OBJECTS=/tmp/objects

# overflows: how many the registers have made until now, by what they say at each
# stop.
overflows() {
    xl dmesg | awk '/xenoprof: software: pCPU/ { for (i = 2; i <= NF; i++)
        if ($i == "overflows,") sum += $(i - 1) } END { print sum + 0 }'
}

# count SAMPLES OPTION...: a session of them.
count() {
    local wanted=$1 before
    shift
    before=$(overflows)
    must xenopctl --start --force=readers --passive-domains=pv1 "$@"
    more_samples "$wanted"
    must xenopctl --stop
    status_json /tmp/status
    check_status /tmp/status
    xl dmesg | grep 'xenoprof: software' | tail -n 2
    xenhypfs cat /xenoprof/status
    echo
    equal "overflows of the registers, and those that the module knows of" \
        "$(($(overflows) - before))" "$(door_number due)"
    must xenopreport --table
    echo "$said"
}

# Where the last of them overflow at the same ticks as the first.
count 3000 --event=cycles:20000000,instructions:10000000,branches:5000000,cache-misses:200000
for event in cycles instructions branches cache-misses; do
    must xenopreport --table --event=$event
    says 'pv1'
done
count 1000 --event=cycles:20000000,instructions:30000000,cache-misses:200000,branches:5000000 --stacks=none
# With periods that follow the work.
count 1000 --event=cycles,instructions,branches,cache-misses --frequency=97
# Sets that take turns.
count 1000 --event=cycles:20000000,instructions:10000000,branches:5000000 \
    --event=cache-misses:200000,cache-references:200000,branch-misses:200000
