# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a PVH guest that makes one hypercall leaves its pCPU for that
# boot: hvm
# limit: 900
# long: yes

# Emulated, leaving and entering a guest take far longer than the hypercall: few
# samples have its function on their stack, by which it gets its name.
sample_entries calls
at_least "thousandths of calls' samples in Xen with an entry" "$(entries_known calls)" 700
at_least "of calls' hypercalls with a name, in thousandths, that were xen_version" \
    "$(entry_share calls '^hypercall xen_version$' '^hypercall .')" 950
at_least "samples of calls in xen_version" \
    "$(entries calls | sed -n 's/ hypercall xen_version$//p')" 5
at_least "of calls, in thousandths, that left for hypercalls or interrupts" \
    "$(entry_share calls '^hypercall|^exit intr$')" 950
