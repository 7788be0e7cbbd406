# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The machine: Bochs, which has Intel's VMX, where QEMU has AMD's SVM. It is ten times
# slower, has no counters of events and no virtio: dom0's console is all that is seen
# of it meanwhile, and what it leaves comes back by its second serial port.

need_machine() {
    need bochs-bin bochs
    need grub-mkrescue grub-common
    need xorriso
    need mformat mtools
    [ -d /usr/lib/grub/i386-pc ] || die "grub-pc-bin is missing; install that package."
    [ -f /usr/share/bochs/BIOS-bochs-latest ] ||
        die "bochsbios is missing; install that package."
    [ -z "$kvm$iommu$icount$smp" ] ||
        die "--machine bochs has no --kvm, --iommu, --icount or --smp."
}

# Xen would take minutes to unpack it here.
unpack_kernel() {
    local at
    at=$(LC_ALL=C grep -abo -m 1 $'\xfd7zXZ' "$kernel" | head -n 1 | cut -d: -f1)
    [ -n "$at" ] || die "$kernel is not packed by xz, and this machine needs it unpacked."
    # What is behind that part is not xz's.
    tail -c "+$((at + 1))" "$kernel" | xz -dc --single-stream 2>/dev/null >"$1" || :
    strip "$1" || die "the kernel in $kernel cannot be unpacked."
}

# boot_disk INITRAMFS FILE. Two processors work with x2apic=0 alone; XSAVE is not
# whole, and dom0's kernel refuses it.
boot_disk() {
    local boot=$work/disk/boot
    mkdir -p "$boot/grub"
    ln "$1" "$boot/initramfs" 2>/dev/null || cp "$1" "$boot/initramfs"
    cp "$hypervisor/xen" "$boot/xen"
    unpack_kernel "$boot/kernel"
    cat >"$boot/grub/grub.cfg" <<CFG
set gfxpayload=text
multiboot2 /boot/xen xen $xen_options x2apic=0 xsave=0$more_xen_options
module2 /boot/kernel kernel $dom0_options
module2 /boot/initramfs
boot
CFG
    grub-mkrescue -o "$2" "$work/disk" >"$work/disk.log" 2>&1 ||
        die "GRUB cannot make a disk: $(tail -n 1 "$work/disk.log")"
}

# rfb needs no terminal. Nobody has to look at the screen.
describe_machine() {
    local bios=/usr/share/bochs model=${cpu_flags:-corei7_haswell_4770}
    cat <<CONFIG
config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file=$bios/BIOS-bochs-latest
vgaromimage: file=$bios/VGABIOS-lgpl-latest
vga: extension=none
memory: guest=2048, host=2048
cpu: model=$model, count=$cpus, ips=50000000, reset_on_triple_fault=0, ignore_bad_msrs=1
clock: sync=none, time0=utc
boot: cdrom
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path="$work/disk.iso", status=inserted
com1: enabled=1, mode=file, dev="$1/console.log"
com2: enabled=1, mode=file, dev="$1/back.tar"
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
log: "$1/machine.log"
panic: action=report
error: action=report
info: action=ignore
debug: action=ignore
CONFIG
}

start_machine() {
    boot_disk "$1" "$work/disk.iso"
    describe_machine "$2" >"$work/bochsrc"
    : >"$2/console.log"
    # Debian's has a debugger, which waits to be told to go on.
    echo c >"$work/go"
    bochs-bin -q -f "$work/bochsrc" -rc "$work/go" >"$work/screen" 2>&1 </dev/null &
    machine_pid=$!
}

# It takes SIGTERM for a question to its debugger.
end_machine() {
    kill -KILL "$machine_pid" 2>/dev/null || :
}

# It is never taken for hung: its console has no sign of life while dom0 works
# silently.
patience() {
    echo "$timeout"
}
