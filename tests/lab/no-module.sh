# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: Xen's traces show each wait and exit, with no module and beside samples
# boot: main
# long: yes
# guests: none
# memory: changes

# What Xen allocates for its trace buffers stays until it ends.

# look REPORT: makes it, as JSON for what follows, and says it.
look() {
    xenopreport "--$1" --json >"/tmp/$1" || fail "there is no report of $1"
    must xenopreport "--$1"
    echo "$said"
}

# waits NAME KEY: of a domain, in ns.
waits() {
    awk -v name="\"$1\"" -v key="\"$2\": " '
        /"domain_name": / { on = index($0, name) }
        on && (at = index($0, key)) {
            rest = substr($0, at + length(key))
            match(rest, /^[0-9]+/)
            found = substr(rest, 1, RLENGTH)
            exit
        }
        END { print found ? found : 0 }' /tmp/waits
}

cpu_of() {
    cpu-time "$(xl domid "$1")" || fail "Xen does not account for $1"
}

# each NAME KEY: the sum over its waits for a pCPU, each by itself.
each() {
    awk -v name="\"$1\"" -v key="\"$2\":" '
        /^  "each": / { each = 1 }
        each && /^      "domain_name": / { on = index($0, name) }
        on && $1 == key { sum += $2 }
        END { printf "%.0f", sum }' /tmp/waits
}

# exits NAME EXIT KEY: of a guest's exits of that name.
exits() {
    awk -v name="\"$1\"" -v why="\"$2\"" \
        -v key="\"$3\": " '
        /"domain_name": / { on = index($0, name) }
        on && index($0, "{\"exit\": " why) {
            rest = substr($0, index($0, key) + length(key))
            match(rest, /^[0-9]+/)
            found = substr(rest, 1, RLENGTH)
        }
        END { print found ? found : 0 }' /tmp/exits
}

xentrace=$(command -v xentrace || ls /usr/lib/xen-*/bin/xentrace)
tracer=

# It ends with its --duration, and makes the buffers with the size of ours.
trace_beside_us() {
    "$xentrace" -D -S 64 -e 0x0002f000 -T 600 /tmp/trace &
    tracer=$!
    wait_for 60 "records of xentrace" test -s /tmp/trace
}

has_grown() {
    [ "$(stat -c %s /tmp/trace)" -gt "$size" ]
}

# pv1 has half a pCPU at most, on one where dom0 is busy, too.
must xl vcpu-pin pv1 all 1
must xl unpause pv1
(while :; do :; done) &
loops=$!
(while :; do :; done) &
loops="$loops $!"
before=$(cpu_of pv1) began=$(date +%s)
must xenopctl --record=10 --no-module
ran=$((($(cpu_of pv1) - before) / 1000000))
passed=$((($(date +%s) - began) * 1000))
echo "$said"
says ' waits, [0-9.]+%: .* for a pCPU'
look waits
says "preempted +pv1 .* Domain-0 [0-9]+%"
known=$(($(waits pv1 known_ns) / 1000000))
running=$(($(waits pv1 running_ns) / 1000000))
runnable=$(($(waits pv1 runnable_ns) / 1000000))
echo "pv1: known $known ms, running $running, by Xen's account around it $ran of" \
    "$passed, runnable $runnable"
at_least "ms that are known of pv1, of 10 seconds" $known 9000
at_most "ms that pv1 ran" $running $ran
# A busy machine takes long for what comes before and after.
ran=$((ran * 1000 / passed)) running=$((running * 1000 / known))
at_least "thousandths of its time that pv1 ran" $running $((ran / 2))
at_most "thousandths of its time that pv1 ran" $running $((ran * 2))
at_least "ms that pv1 waited" $runnable 1000
at_least "ms that dom0 waited" $(($(waits Domain-0 runnable_ns) / 1000000)) 1000

at_least "ms that test64 was paused" $(($(waits test64 paused_ns) / 1000000)) 9000
at_most "ms that a paused guest waited" $(($(waits test64 runnable_ns) / 1000000)) 0

# Each wait by itself: what of pv1 was runnable is the sum of its waits, but for those
# that were under way at the beginning or the end.
waits=$(each pv1 count)
waited=$(($(each pv1 sum_ns) / 1000000))
echo "pv1: $waits waits of $waited ms"
at_least "waits of pv1 for a pCPU" "$waits" 10
at_least "ms of pv1's waits, each by itself" $waited $((runnable / 10 * 9))
at_most "ms of pv1's waits, each by itself" $waited $((runnable + runnable / 50))

# A guest that makes nothing but hypercalls has no other exits, but for interrupts;
# most of its time is in Xen.
sed 's/^name=.*/name="caller"/; s/^cmdline=.*/cmdline="hypercalls"/' \
    /lab/guests/test64.cfg >/tmp/caller.cfg
must xl create -q /tmp/caller.cfg
wait_for 60 "the test kernel to say that it is up" \
    grep -q 'lab: up' /var/log/xen/guest-caller.log
must xenopctl --record=3 --no-module --trace=exits
look exits
calls=$(exits caller hypercall count)
took=$(($(exits caller hypercall xen_ns) / 1000000))
echo "caller: $calls hypercalls, $took ms in Xen"
at_least "hypercalls of caller" "$calls" 100
at_least "ms that they took" $took 1
must xl pause caller

trace_beside_us
refused 11 'another program traces Xen' xenopctl --record=3 --no-module
size=$(stat -c %s /tmp/trace)
wait_for 60 "more records of xentrace" has_grown
kill -INT $tracer
wait $tracer || :
must xenopctl --record=2 --no-module

# Beside samples, by the daemon without its privileges.
must xl unpause caller
must xenopctl --record=3 --stacks=xen --passive-domains=pv1,caller \
    --trace=runstates,exits
look waits
says "preempted +pv1 .*[0-9]%"
at_least "waits of pv1 for a pCPU, beside samples" "$(each pv1 count)" 10
look exits
at_least "hypercalls of caller, beside samples" "$(exits caller hypercall count)" 100
must xl destroy caller
# shellcheck disable=SC2086
kill $loops
must xl pause pv1
must xl vcpu-pin pv1 all all
