# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: guests that only read a port, or make one hypercall, leave for that
# boot: hvm
# limit: 900

# Before, it is firmware that runs. A guest that waits for its device model is
# switched out each time, and such samples have no entry.
reads_the_port() {
    grep -q 'test-kernel: rounds ' /var/log/xen/guest-exits.log
}

wait_for 300 "the guest's first thousand exits" reads_the_port
sample_entries exits calls
at_least "thousandths of calls' samples in Xen with an entry" "$(entries_known calls)" 700
at_least "of exits' I/O, in thousandths, that read the port" \
    "$(entry_share exits '^exit ioio 0xcfc in$' '^exit ioio')" 950
at_least "samples of exits that read the port" \
    "$(entries exits | sed -n 's/ exit ioio 0xcfc in$//p')" 50
at_least "of calls' hypercalls, in thousandths, that were xen_version" \
    "$(entry_share calls '^hypercall xen_version$' '^hypercall .')" 950
at_least "of calls, in thousandths, that left for hypercalls or interrupts" \
    "$(entry_share calls '^hypercall|^exit intr$')" 950
