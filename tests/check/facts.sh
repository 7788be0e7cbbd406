# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Facts out of the hypervisors that the lab has, against their DWARF and the
# shipped table.  A build that the table does not know is among them.

# xen_syms_of HOST...: the xen-syms files in the lab's cache, joined by ':'.
xen_syms_of() {
    local host
    for host in "$@"; do
        lab/lab path --host "$host" xen-syms
        [ "$host" != debian12 ] ||
            lab/lab path --host "$host" --xen 4.17.5 xen-syms
    done 2>"$logs/xen-syms.log" | paste -sd:
}

check_facts() {
    local status=0
    say "facts of real hypervisors"
    XENOPROF_XEN_SYMS=$(xen_syms_of "$@") \
        build-gcc/tests/unit/test-facts-xen-syms >"$logs/facts.tap" 2>&1 ||
        status=$?
    count "facts of real hypervisors" $status "$logs/facts.tap" \
        "$logs/xen-syms.log"
}
