# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Compares facts and unwind tables of the hypervisors that the lab has with their
# DWARF and with the shipped table, and their boot files with their xen-syms.  The
# table does not know one of these builds.

# xen_syms_of HOST...: the xen-syms files in the lab's cache, joined by ':'.
xen_syms_of() {
    local host
    for host in "$@"; do
        lab/lab path --host "$host" xen-syms
        case $host in
        debian12) lab/lab path --host "$host" --xen 4.17.5 xen-syms ;;
        # Debian's next release, while its Xen is of the same series.
        debian13) lab/lab path --host "$host" --xen forky xen-syms ;;
        esac
    done 2>"$logs/xen-syms.log" | paste -sd:
}

# real_hypervisors PROGRAM NAME: its tests, with the files named above.
real_hypervisors() {
    local status=0
    (cd build-gcc && XENOPROF_XEN_SYMS=$xen_syms "tests/unit/module/$1") \
        >"$logs/${1##*/}.tap" 2>&1 || status=$?
    count "$2" $status "$logs/${1##*/}.tap" "$logs/${1##*/}.tap" "$logs/xen-syms.log"
}

check_facts() {
    local xen_syms
    say "facts of real hypervisors"
    xen_syms=$(xen_syms_of "$@")
    real_hypervisors facts/test-facts-xen-syms "facts of real hypervisors"
    real_hypervisors test-boot-file-xen-syms "boot files of real hypervisors"
    real_hypervisors unwind/test-unwind-xen-syms "unwind tables of real hypervisors"
}
