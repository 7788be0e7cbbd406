# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: Xen's debug keys d, q, n and N while sampling: as without us
# boot: plain
# long: yes

# The key N sends an NMI to its own pCPU. On pCPU 0 Xen hands it to dom0, which
# says so, unless it came so close to one of ours that the processor merged them.
foreign_nmis() {
    dmesg | grep -c 'NMI received for unknown reason'
}

must xl vcpu-pin Domain-0 0 0
echo 0 >/proc/sys/kernel/unknown_nmi_panic
must xenopctl --start --stacks=xen
hypercall-loop 900 >/dev/null &
loop=$!
more_samples 100
for key in d q n; do
    before=$(xl dmesg | wc -l)
    must taskset 1 xl debug-keys $key
    more_samples 50
    at_least "lines that Xen says for key $key" \
        $(($(xl dmesg | wc -l) - before)) 3
done
tries=0
while [ "$(foreign_nmis)" -lt 3 ]; do
    tries=$((tries + 1))
    at_most "keys N until 3 were seen in dom0" $tries 20
    must taskset 1 xl debug-keys N
    more_samples 20
done
echo "keys N: $tries, seen in dom0: $(foreign_nmis)"
stop_and_check

# The same, when NMIs of ours have got lost: Xen masks the callback while it
# applies a livepatch. What was lost may be claimed for a second, not longer.
must xenopctl --start --stacks=xen --frequency=997
make_payload bare fix 4444444444444444444444444444444444444444 "$(xen_build)"
round=0
while [ $round -lt 5 ]; do
    round=$((round + 1))
    put_in fix
    take_out fix
done
sleep 2
more_samples 500
before=$(foreign_nmis)
tries=0
while [ "$(foreign_nmis)" -lt $((before + 3)) ]; do
    tries=$((tries + 1))
    at_most "keys N until 3 more were seen in dom0" $tries 30
    must taskset 1 xl debug-keys N
    more_samples 20
done
echo "keys N: $tries"
kill $loop
stop_and_check

# These were wanted; whoever looks at the log later shall not find them.
dmesg -c >/dev/null
echo 1 >/proc/sys/kernel/unknown_nmi_panic
must xl vcpu-pin Domain-0 0 all
