# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: --waits shows who waits: a capped guest, more busy vCPUs than pCPUs; --waiting in what
# boot: main
# usually: debian13
# guests: none

ids="$(xl domid pv1) $(xl domid test64)"

# waits NAME KEY: of a domain, in ns.
waits() {
    xenopreport --waits --json 2>/dev/null | awk -v name="\"$1\"" -v key="\"$2\": " '
        /"domain_name": / { on = index($0, name) }
        on && (at = index($0, key)) {
            rest = substr($0, at + length(key))
            match(rest, /^[0-9]+/)
            found = substr(rest, 1, RLENGTH)
            exit
        }
        END { print found ? found : 0 }'
}

# Each vCPU had a record when dom0's second came.
known_for() {
    [ "$(waits Domain-0 known_ns)" -ge "$1" ] 2>/dev/null
}

# check NAME NS: its running time is Xen's; sets $waited, of its working time in
# thousandths.
check() {
    local working running runnable capped
    running=$(waits "$1" running_ns) runnable=$(waits "$1" runnable_ns)
    capped=$(waits "$1" capped_ns)
    working=$(($(waits "$1" known_ns) - $(waits "$1" paused_ns)))
    echo "$1 in $((working / 1000000)) ms: running $((running / 1000000))," \
        "by xl list $(($2 / 1000000)), runnable $((runnable / 1000000))," \
        "capped $((capped / 1000000))"
    at_least "ms in which $1 worked" $((working / 1000000)) 2000
    at_most "thousandths between its running time and Xen's" \
        $(((running > $2 ? running - $2 : $2 - running) / (working / 1000))) 10
    waited=$(((runnable + capped) / (working / 1000)))
}

# Both are paused, and are so again at the end.  Two busy loops and a guest on
# two pCPUs: one of the three always waits.
must xl vcpu-pin pv1 all 1
must xenopctl --start --passive-domains=pv1 --waiting --lease=60
wait_for 60 "the first times" known_for 1
cpu_times
pv_before=$pv pvh_before=$pvh
must xl unpause pv1
must xl unpause test64
must xl sched-credit2 -d pv1 -c 10
xl sched-credit2 -d pv1
(while :; do :; done) &
loops=$!
(while :; do :; done) &
loops="$loops $!"
more_samples 1200
xenhypfs cat /xenoprof/status | grep '^waiting: '
# shellcheck disable=SC2086
kill $loops
must xl pause pv1
must xl pause test64
cpu_times
# What each did up to then is in the session.
stop_and_check
must xl sched-credit2 -d pv1 -c 0
must xl vcpu-pin pv1 all all

must xenopreport --waits
echo "$said" | tail -n 6
says 'pv1 [(]'
check pv1 $((pv - pv_before))
at_least "thousandths that pv1 waited, of which it may run 100" $waited 500
at_least "ms that its cap held it back" $(($(waits pv1 capped_ns) / 1000000)) 1000
# It was not asked for, and is there all the same.
check test64 $((pvh - pvh_before))
at_least "ms in which dom0's vCPUs were runnable" \
    $(($(waits Domain-0 runnable_ns) / 1000000)) 100
must xenopreport
says ' waits, [0-9.]+%: .* for a pCPU'

# sampled_us DOMAIN FILE: how long it waited, by samples of type waiting.
sampled_us() {
    awk -v name="\"domain_name\": \"$1\"" '
        index($0, name) && match($0, /"amount": [0-9]+/) {
            sum += substr($0, RSTART + 10, RLENGTH - 10)
        }
        END { print int(sum / 1000) }' "$2"
}

# In what those waited that are profiled, with the stacks of their kernels.
status_json /tmp/status
made=$(number /tmp/status waiters_made) read=$(number /tmp/status waiters_read)
lost=$(number /tmp/status waiters_lost)
echo "samples of vCPUs that waited: made $made, read $read, lost $lost"
at_least "samples of vCPUs that waited" "$read" 100
equal "those that were made, and read + lost" "$made" $((read + lost))
report_json /tmp/waiting --event=waiting
for guest in Domain-0 pv1; do
    at_least "of them of $guest" "$(samples /tmp/waiting "name == \"$guest\"")" 10
    # Each stands for what its vCPU waited since the one before.
    sampled=$(sampled_us "$guest" /tmp/waiting)
    recorded=$(($(waits $guest runnable_ns) / 1000))
    echo "$guest waited for $recorded us by records, $sampled us by samples"
    # What a vCPU waited last, no sample stands for: it was paused before one.
    most=$((recorded / 20 > 50000 ? recorded / 20 : 50000))
    at_most "us between what $guest waited by samples, and by records" \
        $((sampled > recorded ? sampled - recorded : recorded - sampled)) $most
done
equal "of them of a guest that was not asked for" \
    "$(samples /tmp/waiting 'name == "test64"')" 0
must xenopreport --event=waiting --callgraph --no-header
echo "$said" | head -n 30
says ' kernel +[^0]*[a-z]+_[a-z]+'
