# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: guests that leave their processor for one thing have that as their entry
# boot: entries
# long: yes
# guests: held-calls
# limit: 300

entries_wanted=150
guests="held-calls held-cpuids held-msrs held-npfs held-halts held-ipis held-exits"

# known GUEST ENTRY: of its samples with an entry nearly all are that, or what
# interrupted it, which a busy machine does more often; without one is a vCPU that
# had just left its pCPU, as one does at each exit to its device model.
known() {
    at_least "thousandths of $1's samples in Xen with an entry" \
        "$(entries_known "$1")" 400
    at_least "of $1, in thousandths, '$2', or interrupts" \
        "$(entry_share "$1" "^($2|exit intr)\$")" 950
    at_least "of $1, in thousandths, '$2'" "$(entry_share "$1" "^($2)\$")" 600
}

for guest in $guests; do
    must xl unpause "$guest"
done
# shellcheck disable=SC2086
sample_entries $guests
known held-calls 'hypercall.*'
known held-cpuids 'exit cpuid'
known held-msrs 'exit msr 0x1b read'
known held-npfs 'exit npf'
known held-halts 'exit hlt'
known held-ipis 'exit msr 0x83f write'
# It waits for its device model, which other interrupts do not find it at.
known held-exits 'exit ioio 0xcfc in'
at_least "of held-exits, in thousandths, that left for its port" \
    "$(entry_share held-exits '^exit ioio ')" 950
