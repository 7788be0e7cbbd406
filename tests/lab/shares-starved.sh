# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: shares are Xen's own where domains fight for a pCPU and the daemon stands still
# boot: main
# usually: debian12
# guests: none
# limit: 300

ids="$(xl domid pv1) $(xl domid test64)"

# In ns, of a part of the session: what a report has of a domain, and Xen's account.
reported() { # NAME OPTION...
    local name=$1
    shift
    xenopreport --json "$@" 2>/dev/null | awk -v name="\"domain_name\": \"$name\"" '
        index($0, name) && match($0, /"time_ns": [0-9]+/) {
            sum += substr($0, RSTART + 11, RLENGTH - 11)
        }
        END { printf "%.0f", sum }'
}
accounted() { # NAME OPTION...
    local name=$1
    shift
    xenopreport --waits --json "$@" 2>/dev/null | awk -v name="\"$name\"" '
        /"domain_name": / { on = index($0, name) }
        on && match($0, /"running_ns": [0-9]+/) {
            print substr($0, RSTART + 14, RLENGTH - 14)
            exit
        }'
}
passed() { # OPTION...: of all pCPUs
    xenopreport --json "$@" 2>/dev/null |
        sed -n 's/^ *"pcpu_time_ns": \([0-9]*\),*$/\1/p'
}

check() { # OPTION...
    local all name got wanted
    all=$(passed "$@")
    for name in Domain-0 pv1 test64; do
        got=$(reported $name "$@") wanted=$(accounted $name "$@")
        echo "$name, ${*:-all}: $((got / 1000000)) of $((wanted / 1000000)) ms in" \
            "$((all / 1000000))"
        at_least "ms that $name ran, ${*:-all}" $((wanted / 1000000)) 100
        at_most "thousandths of all by which $name is off, ${*:-all}" \
            $(((got > wanted ? got - wanted : wanted - got) * 1000 / all)) 1
    done
}

# All three on one pCPU, of which dom0 is to have a half.
must xl vcpu-pin Domain-0 0 0
must xl vcpu-pin Domain-0 1 1
must xl vcpu-pin pv1 all 1
must xl vcpu-pin test64 all 1
must xl sched-credit2 -d Domain-0 -w 512
must xenopctl --start --passive-domains=pv1,test64 --lease=0 --ring-size=128
must xl unpause pv1
must xl unpause test64
# One for each of dom0's vCPUs.
hypercall-loop 3600 >/dev/null &
loops=$!
hypercall-loop 3600 >/dev/null &
loops="$loops $!"
more_samples 300
cpu_times
begun=$((pv + pvh))
kill -STOP "$(daemon_pid)"
has_run() {
    cpu_times
    [ $((pv + pvh - begun)) -ge 5000000000 ]
}
# Both have a half of it: ten seconds.
wait_for 200 "guests to run for five seconds" has_run
kill -CONT "$(daemon_pid)"
more_samples 300
# shellcheck disable=SC2086
kill $loops
stop_and_check
must xl pause pv1
must xl pause test64
must xl sched-credit2 -d Domain-0 -w 256
for part in pv1:all test64:all Domain-0:0 Domain-0:1; do
    must xl vcpu-pin "${part%:*}" "${part#*:}" all
done
# Of two pCPUs, in seconds.
third=$(($(passed) / 6000000000))
check
check --filter="time=$third..$((2 * third))"
check --filter="time=$((third / 2)).5..$((third + 2)).25"
