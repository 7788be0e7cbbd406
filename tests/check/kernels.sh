# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Boots each host's own kernel in a bare QEMU, with modules in it, and compares
# what is found in its memory with what the kernel says about itself.

# What the machine does: loads modules, writes its own symbols to a disk, works.
kernel_init() {
    cat <<'INIT'
#!/bin/busybox sh
busybox() { /bin/busybox "$@"; }
busybox mount -t proc proc /proc
busybox mount -t devtmpfs dev /dev
# There is no list of dependences: it tries again until no more module loads.
for round in 1 2 3; do
    for module in /modules/*; do busybox insmod "$module" 2>/dev/null; done
done
busybox cat /proc/kallsyms >/symbols
busybox cat /symbols >/dev/vda
busybox sync
echo READY
while :; do busybox dd if=/dev/zero of=/dev/null bs=4k count=1000 2>/dev/null; done
INIT
}

kernel_modules="virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev
    virtio_pci virtio_blk crc16 mbcache jbd2 ext4 fuse brd loop 6lowpan"

# kernel_initrd TREE FOLDER: FOLDER/initrd.
kernel_initrd() {
    local tree=$1 root=$2/root name file
    mkdir -p "$root"/{bin,proc,dev,modules}
    cp "$tree/usr/bin/busybox" "$root/bin/"
    kernel_init >"$root/init"
    chmod +x "$root/init"
    for name in $kernel_modules; do
        file=$(find "$tree/usr/lib/modules" -name "$name.ko*" | head -n 1)
        case $file in
        *.xz) xz -dc "$file" >"$root/modules/$name" ;;
        ?*) cp "$file" "$root/modules/$name" ;;
        esac
    done
    (cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$2/initrd"
}

# kernel_dump FOLDER: boots vmlinuz with initrd, leaves core and kallsyms.
kernel_dump() {
    local folder=$1 pid
    truncate -s 32M "$folder/disk"
    mkfifo "$folder/console" "$folder/monitor"
    qemu-system-x86_64 -machine pc -cpu qemu64,+rdrand -m 384 -display none \
        -no-reboot -net none -kernel "$folder/vmlinuz" \
        -initrd "$folder/initrd" -append "console=ttyS0 quiet" \
        -drive "file=$folder/disk,if=virtio,format=raw" \
        -chardev "file,id=console,path=$folder/console" \
        -serial chardev:console -monitor stdio \
        <"$folder/monitor" >"$folder/monitor.log" 2>&1 &
    pid=$!
    exec 8>"$folder/monitor"
    timeout 300 grep -am 1 READY "$folder/console" &&
        printf 'stop\ndump-guest-memory %s\nquit\n' "$folder/core" >&8
    exec 8>&-
    ! kill -0 "$pid" 2>/dev/null || timeout 100 tail --pid="$pid" -f /dev/null
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    tr -d '\0' <"$folder/disk" >"$folder/kallsyms"
    [ -s "$folder/core" ] && [ -s "$folder/kallsyms" ]
}

# kernel_of HOST: a folder with one boot of its kernel.
kernel_of() {
    local host=$1 folder=$logs/kernel-$1 tree
    mkdir -p "$folder"
    tree=$(lab/lab path --host "$host" tree) || return 1
    cp "$tree"/boot/vmlinuz-* "$folder/vmlinuz"
    kernel_initrd "$tree" "$folder"
    kernel_dump "$folder"
}

check_kernels() {
    local host folders='' status=0 boots=()
    say "kernels as distributions build them"
    # One processor each.
    for host in "$@"; do
        note "kernel-of-$host" kernel_of "$host" &
        boots+=($!)
    done
    wait "${boots[@]}"
    for host in "$@"; do
        case_of "a boot of $host's kernel" noted "kernel-of-$host"
        folders+=:$logs/kernel-$host
    done
    XENOPROF_KERNEL_DUMPS=${folders#:} \
        build-gcc/tests/unit/guest/test-kernel-dumps >"$logs/kernels.tap" \
        2>"$logs/kernels.log" || status=$?
    cat "$logs/kernels.log"
    count "kernels as distributions build them" $status "$logs/kernels.tap" \
        "$logs/kernels.log"
    rm -rf "$logs"/kernel-*
}
