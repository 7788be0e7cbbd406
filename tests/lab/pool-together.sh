# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a pool with sched-gran=core that is made while NMIs sample ends that, and says why
# boot: cores
# loads: yes
# long: yes

# pool_has N: pool 1 has so many pCPUs.
pool_has() {
    [ "$(xl cpupool-list later | awk 'END { print $2 }')" = "$1" ]
}

# Not on the command line: the probe shows what Xen has, where no module is kept.
rm -f /var/lib/xenoprof/modules/*
must xenopctl --check
says 'unknown NMIs +yes +dom0 is told'
must xenopctl --start --frequency=97 --stacks=xen
more_samples 200
must xenopctl --status
says 'sampler +nmi'

# A pool takes another granularity only while it has no pCPU; sampling may end as
# soon as it has.
must xl cpupool-cpu-remove Pool-0 2
must xl cpupool-cpu-remove Pool-0 3
must xl cpupool-create 'name="later"' 'sched="credit2"'
for pcpu in 2 3; do
    xl cpupool-cpu-remove later $pcpu 2>/dev/null || true
done
wait_for 10 "an empty pool" pool_has 0
must xenhypfs write /cpupool/1/sched-gran core
must xl cpupool-cpu-add later 2
xl cpupool-cpu-add later 3 2>/dev/null || true
wait_for 10 "both threads of a core in the pool" pool_has 2

wait_for 30 "the end of sampling" sh -c 'xenopctl --status | grep -q "sampling was stopped: .*sched-gran"'
wait_for 120 "the end of the session" sh -c 'xenopctl --status | grep -q "^state *stopped"'
refused 9 'NMIs would stall' xenopctl --start --sampler=nmi

must xenopctl --start --frequency=97 --stacks=xen
says 'timer is the sampler, since Xen schedules several pCPUs as one'
more_samples 100
stop_and_check
equal "the sampler" "$(text /tmp/status name)" timer
# Both of a core go together, which destroying a pool alone does not know.
must xl cpupool-cpu-remove later 2
xl cpupool-cpu-remove later 3 2>/dev/null || true
must xl cpupool-destroy later
xl cpupool-cpu-add Pool-0 2
xl cpupool-cpu-add Pool-0 3
