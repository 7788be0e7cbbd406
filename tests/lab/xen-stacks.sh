# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: Xen's call chains under load are whole, and each caller follows a call
# boot: main
# limit: 900

# xen-stacks-long sets a larger number.
: "${wanted:=1000}"

# Hypercalls of many kinds, from dom0's user mode and kernel; the guests have
# their own loads.
busy() {
    while :; do
        hypercall-loop 1 >/dev/null
        xl list >/dev/null
        dd if=/dev/zero of=/dev/null bs=1 count=2000 2>/dev/null
        xenhypfs tree >/dev/null
        xl vcpu-list >/dev/null
    done
}

found() {
    awk -v key="$1:" '$1 == key { print $2 }' /tmp/chains
}

enough() {
    check-chains "$sessions/current" "$(cat /tests/own-module)" >/tmp/chains ||
        fail "the chains cannot be checked"
    [ "$(found deep)" -ge "$wanted" ]
}

must xenopctl --start --frequency=997 --stacks=xen --passive-domains=pv1,test64
cp /tests/payloads/show-code.livepatch /tmp/
must payload-ids /tmp/show-code.livepatch \
    3333333333333333333333333333333333333333 "$(xen_build)" "$(xen_build)"
put_in show-code --nodeps
busy &
load=$!
until enough; do
    more_samples $((wanted / 2))
done
kill $load
must xenopctl --stop
enough || fail "the session has fewer chains now: $(cat /tmp/chains)"
take_out show-code

cat /tmp/chains
at_most "chains that reached no root" \
    "$(found truncated)" "$(($(found deep) / 1000))"
at_least "distinct return addresses" "$(found returns)" 100
equal "return addresses that are not behind a call" "$(found bad)" 0
# A tail call leaves out the function in between.
at_least "direct calls that led where they say" \
    "$(found straight)" "$(($(found edges) / 2))"
equal "1 if other return addresses are not all behind calls of our module" \
    "$(found foreign)" 0
status_json /tmp/status
check_status /tmp/status
