# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a dom0 with a tenth of a pCPU loses no names: kernels are found, and kept
# boot: main
# guests: pv1
# long: yes
# limit: 2400

# Emulated, and capped: a dom0 some hundred times slower than hardware's.
cap_dom0() { # PERCENT, 0: none
    must xl sched-credit2 -d Domain-0 -c "$1"
}
trap 'xl sched-credit2 -d Domain-0 -c 0' EXIT

# session HOW: records under the cap, and checks that pv1's kernel was found so, and
# that its chains have names.
session() {
    local began
    cap_dom0 10
    began=$(date +%s)
    must xenopctl --start --passive-domains=pv1 --lease=0
    echo "$said"
    echo "started within $(($(date +%s) - began)) s"
    wait_for 600 "200 samples" door_at_least made 200
    began=$(date +%s)
    must xenopctl --stop
    echo "$said"
    echo "stopped within $(($(date +%s) - began)) s"
    cap_dom0 0
    stop_and_check --stacks --sort=domain,mode,image,symbol,address
    equal "where pv1's kernel was found" "$(kernel_fact pv1 /tmp/report found)" "$1"
    chains pv1 /tmp/report >/tmp/stacks
    echo "ends of pv1's chains: $(kernel_ends pv1 /tmp/report | tr '\n' ',')"
    at_least "samples in pv1's kernel" "$(awk '{ sum += $NF } END { print sum + 0 }' /tmp/stacks)" 20
    at_least "of them those with callers, all of which have names, in thousandths" \
        "$(awk '{ all += $NF }
                /;/ && !/:-\[/ { named += $NF }
                END { print int(named * 1000 / (all ? all : 1)) }' /tmp/stacks)" 900
}

must xenopctl --setup
session memory
# The daemon that comes after this one finds what it kept.
must xenopctl --shutdown
session kept
