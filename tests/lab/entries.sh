# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a PV guest that reads and writes by single bytes enters Xen for that
# boot: main
# long: yes
# guests: pv1
# limit: 900

# Without an entry are samples of a vCPU that just left, and of system calls on their
# way out.
sample_entries pv1
at_least "thousandths of pv1's samples in Xen with an entry" "$(entries_known pv1)" 800
at_least "of pv1, in thousandths, what such a guest enters Xen for" "$(entry_share pv1 \
    '^(syscall|hypercall.*|interrupt.*|#GP .emulated.|#PF|#NM)$')" 950
for entry in 'syscall' 'hypercall iret'; do
    at_least "samples of pv1 in $entry" \
        "$(entries pv1 | sed -n "s/ $entry\$//p")" 15
done
equal "vectors without a name" "$(entries pv1 | grep -c vector)" 0
