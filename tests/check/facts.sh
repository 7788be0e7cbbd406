# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Compares facts and unwind tables of the hypervisors that the lab has with their
# DWARF and with the shipped table, and their boot files with their xen-syms.  The
# table does not know one of these builds.  And what xenopctl says of each of them
# where it does not run.
# And whether each function by which a report knows why Xen ran is in one of them.

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

# boot_folders XEN-SYMS...: where their boot files are.
boot_folders() {
    local file
    for file; do
        echo "${file%/*}/boot"
    done
}

# Debian 11's hypervisor has no files in hypfs that code can be behind.  An archive
# that has it no more is no failure.
old_hypervisor_is_refused() {
    local file status=0 said
    file=$(lab/lab path --host debian13 --xen bullseye/4.14 xen) || status=$?
    [ $status != 117 ] || return 0
    said=$(tests/hypervisors --rows build-gcc "${file%/*}/boot") && return 1
    echo "$said"
    grep -q "has no symbol hypfs_dir_funcs" <<<"$said"
}

check_facts() {
    local xen_syms folders files
    say "facts of real hypervisors"
    xen_syms=$(xen_syms_of "$@")
    real_hypervisors facts/test-facts-xen-syms "facts of real hypervisors"
    real_hypervisors test-boot-file-xen-syms "boot files of real hypervisors"
    real_hypervisors unwind/test-unwind-xen-syms "unwind tables of real hypervisors"
    mapfile -t folders < <(boot_folders ${xen_syms//:/ })
    case_of "hypervisors that do not run" tests/hypervisors --rows build-gcc "${folders[@]}"
    case_of "a hypervisor that is too old" old_hypervisor_is_refused
    IFS=: read -ra files <<<"$xen_syms"
    case_of "reasons of real hypervisors" tests/reasons "${files[@]}"
}
