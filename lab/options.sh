# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# The command line.

usage() {
    cat <<'TEXT'
Usage: lab/lab run [OPTIONS] SCRIPT OUTDIR   run SCRIPT in dom0 of a Xen host
       lab/lab shell [OPTIONS]               a shell in dom0, for a person
       lab/lab prepare [OPTIONS]             only fill the cache
       lab/lab path [OPTIONS] WHAT           where the cache has WHAT: tree,
                                             xen, xen-syms, kernel, test64
                                             or test32 (test kernels)

  --host HOST               debian12 (Xen 4.17, the default), debian13 (4.20)
  --xen VERSION             the archive's build of Xen that begins so, as 4.17.5;
                            or that of another release of Debian, as forky, and
                            of another series of Xen, as bullseye/4.14; or a
                            folder, /PATH, with xen and xen-syms
  --machine NAME            qemu (AMD's SVM; the default), or bochs: Intel's VMX,
                            ten times slower; --cpu is a model of Bochs's
  --cpus N                  physical CPUs of the host (2)
  --smp TOPOLOGY            how they are arranged, in QEMU's words, as
                            sockets=2,cores=2
  --cpu FLAGS               more flags of the processor, in QEMU's words
  --guests FILE             a line for each guest: NAME pv|pvh|hvm VCPUS
                            MEGABYTES COMMAND (lab/README.md has more)
  --put SRC:DST             put a file or folder into dom0 (repeatable)
  --package NAME            a package of the host's suite, with all that it
                            depends on, unpacked into dom0 (repeatable)
  --guest-package GUEST:NAME the same for a guest, or for 'all' (repeatable)
  --guest-put GUEST:SRC:DST the same for a guest, or for 'all' (repeatable)
  --guest-module GUEST:NAME a module of the host's kernel that the guest, or
                            'all', loads before its COMMAND (repeatable)
  --xen-option OPTION       one more option on Xen's command line (repeatable)
  --bare                    without our programs, so nothing is built
  --spread                  let PVH guests move between physical CPUs
  --iommu                   a machine with an IOMMU, which a PVH dom0 needs
  --kvm                     use KVM; without it QEMU emulates
  --icount SHIFT            count instructions: a TSC tick is 2^SHIFT of them
  --timeout SECONDS         for all of it (300)

SCRIPT runs as root, with OUT set; what it leaves in $OUT comes back to OUTDIR,
with output, dmesg, console.log, guest-NAME.log and verdict. lab's exit status
is the script's own, or 117 the archive has no such Xen, 118 a guest crashed,
119 a guest did not come up, 120 timeout, 121 emulator fault, 122 dom0 panic, 123
Xen crash, 124 hang, 125 the lab itself failed.
TEXT
}

wrong_use() {
    say "$*"
    say "lab/lab --help says how it is used."
    exit "$LAB_ERROR"
}

check_number() {
    [[ $2 =~ ^[0-9]+$ ]] || wrong_use "$1 wants a number, not '$2'."
}

# check_put OPTION VALUE PARTS
check_put() {
    local colons=${2//[^:]/}
    [ ${#colons} -eq $(($3 - 1)) ] || wrong_use "$1 wants $4, not '$2'."
}

take_option() {
    case $1 in
    --host) host=$2 ;;
    --xen) xen=$2 ;;
    --guests) guests=$2 ;;
    --put) check_put "$1" "$2" 2 SRC:DST; puts+=("$2") ;;
    --package) packages+=("$2") ;;
    --guest-put) check_put "$1" "$2" 3 GUEST:SRC:DST; guest_puts+=("$2") ;;
    --guest-package) check_put "$1" "$2" 2 GUEST:NAME; guest_packages+=("$2") ;;
    --guest-module) check_put "$1" "$2" 2 GUEST:NAME; guest_modules+=("$2") ;;
    --xen-option) more_xen_options+=" $2" ;;
    --machine) machine=$2 ;;
    --cpus) check_number "$1" "$2"; cpus=$2 ;;
    --smp) smp=$2 ;;
    --cpu) cpu_flags=$2 ;;
    --icount) check_number "$1" "$2"; icount=$2 ;;
    --timeout) check_number "$1" "$2"; timeout=$2 ;;
    *) wrong_use "there is no option '$1'." ;;
    esac
}

# Sets the option variables, and $operands to what is left.
parse() {
    host=debian12 machine=qemu xen='' cpus=2 guests='' kvm='' spread='' bare='' icount='' timeout=300
    smp='' cpu_flags='' iommu=''
    more_xen_options='' puts=() packages=() guest_puts=() guest_packages=() guest_modules=() operands=()
    while [ $# -gt 0 ]; do
        case $1 in
        --help) usage; exit 0 ;;
        --kvm) kvm=yes; shift ;;
        --bare) bare=yes; shift ;;
        --spread) spread=yes; shift ;;
        --iommu) iommu=yes; shift ;;
        --*=*) take_option "${1%%=*}" "${1#*=}"; shift ;;
        --*)
            [ $# -gt 1 ] || wrong_use "$1 wants a value."
            take_option "$1" "$2"
            shift 2 ;;
        *) operands+=("$1"); shift ;;
        esac
    done
}
