# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The machine: QEMU with Xen as its kernel.

need_machine() {
    need qemu-system-x86_64 qemu-system-x86
}

# port NAME FILE: a virtio port of dom0 that ends in a file of ours.
port() {
    qemu+=(-chardev "file,id=$1,path=${2//,/,,}"
        -device "virtserialport,chardev=$1,name=lab.$1")
}

# machine INITRAMFS FOLDER: sets the command line $qemu.
# RDRAND gives Linux its random numbers before it has a second processor. Else it
# patches its own code when it has enough of them (static key crng_is_ready), 26 to
# 177 s after it began, and QEMU may let another processor run what was patched.
machine() {
    local serial=virtio-serial-pci processor="qemu64,+svm,+npt,+rdrand${cpu_flags:+,$cpu_flags}"
    qemu=(qemu-system-x86_64 -m 3072 -smp "$cpus${smp:+,$smp}" -no-reboot
        -display none -nic none
        -kernel "$hypervisor/xen" -append "$xen_options$more_xen_options"
        -initrd "$kernel $dom0_options,$1")
    # Other addresses than the machine's own are in dom0's hands then.
    if [ -n "$iommu" ]; then
        qemu+=(-machine q35 -device intel-iommu)
        serial+=,disable-legacy=on,iommu_platform=on
    fi
    qemu+=(-device "$serial")
    if [ -n "$kvm" ]; then
        qemu+=(-accel kvm -cpu host)
    elif [ -n "$icount" ]; then
        # When all are idle, the next timer runs out at once.
        qemu+=(-accel tcg -icount "shift=$icount,sleep=off"
            -cpu "$processor")
    else
        qemu+=(-accel "tcg,thread=multi" -cpu "$processor")
    fi
    port life "$2/life"
    port output "$2/output"
    port back "$2/back.tar"
}

start_machine() {
    local console="id=console,path=${2//,/,,}/console.log"
    machine "$1" "$2"
    mkfifo "$work"/monitor.{in,out}
    qemu+=(-chardev "file,$console" -serial chardev:console
        -chardev "pipe,id=monitor,path=$work/monitor" -mon chardev=monitor)
    "${qemu[@]}" >"$2/machine.log" 2>&1 </dev/null &
    machine_pid=$!
}

end_machine() {
    kill "$machine_pid" 2>/dev/null || :
}

# Seconds without a sign of life after which it counts as hung. Counted
# instructions run several times slower than the rest.
patience() {
    if [ -n "$icount" ]; then echo 600; else echo 90; fi
}

# note_processors FOLDER: what each processor does and what its stack has, three times
# a second apart, for a machine that hangs: FOLDER/processors.
note_processors() {
    local i
    exec {monitor}<>"$work/monitor.in"
    timeout 6 cat "$work/monitor.out" | sed 's/\r$//; /(qemu)/d' >"$1/processors" &
    for _ in 1 2 3; do
        echo 'info registers -a'
        for ((i = 0; i < cpus; i++)); do
            printf 'cpu %d\nx /96xg $rsp\n' "$i"
        done
        sleep 1
    done >&"$monitor"
    exec {monitor}>&-
    wait $! || :
}
