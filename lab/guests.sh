# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The guests: what a line of the guests file asks for, as an xl configuration,
# a kernel and an initramfs inside dom0.

make_guest() {
    skeleton "$1"
    add_busybox "$1"
    cp "$lab/guest/init" "$1/init"
    chmod 755 "$1/init"
}

# le BYTES OFFSET FILE: a little-endian number.
le() {
    od -An -v -t "u$1" -j "$2" -N "$1" "$3" | tr -d ' '
}

# The kernel that lies compressed in a bzImage: under emulation, Xen's domain
# builder would take seconds to unpack it for each guest.
make_guest_kernel() {
    local sectors offset length
    sectors=$(le 1 497 "$kernel")
    offset=$(($(le 4 584 "$kernel") + (sectors + 1) * 512))
    length=$(le 4 588 "$kernel")
    mkdir -p "$1/lab/guests"
    # The last four bytes are the length, not part of the archive.
    head -c $((offset + length - 4)) "$kernel" | tail -c $((length - 4)) \
        >"$1/lab/guests/packed"
    case $(od -An -t x1 -N 4 "$1/lab/guests/packed" | tr -d ' ') in
    fd377a58) xz -dc "$1/lab/guests/packed" ;;
    28b52ffd) zstd -qdc "$1/lab/guests/packed" ;;
    *) cat "$kernel" ;;
    esac >"$1/lab/guests/vmlinux"
    rm "$1/lab/guests/packed"
}

# The device model of hvm guests, and what it loads into them. It takes the
# kernel as it comes.
make_device_model() {
    local file
    for file in usr/libexec/xen-qemu-system-i386 usr/share/qemu \
        usr/share/seabios/bios-256k.bin "usr/lib/xen-$series/boot/hvmloader"; do
        mkdir -p "$1/$(dirname "$file")"
        cp -aL "$tree/$file" "$1/$file"
    done
    add_libraries "$1" "$1/usr/libexec/xen-qemu-system-i386"
    mkdir -p "$1/lab/guests"
    cp "$kernel" "$1/lab/guests/vmlinuz"
}

# PVH guests die of QEMU's emulated SVM when their vCPUs move between physical
# CPUs, so each stays on one; see README.
placement() {
    [ "$type" = pv ] || [ -n "$spread" ] || echo "cpus=\"$((cpus - 1))\""
}

# The stock kernel runs the command; a test kernel gets it as its own.
guest_kernel() {
    if [ -n "$test_kernel" ]; then
        echo "kernel=\"/lab/guests/$test_kernel\""
        echo "cmdline=\"${command#"kernel:$test_kernel"}\""
    else
        case $type in
        hvm) echo 'kernel="/lab/guests/vmlinuz"' ;;
        *) echo 'kernel="/lab/guests/vmlinux"' ;;
        esac
        echo "ramdisk=\"/lab/guests/$name.initramfs\""
        echo 'extra="console=hvc0 quiet loglevel=3"'
    fi
}

# Nothing but what makes a PC: no screen, no disk, no network.
devices() {
    [ "$type" = hvm ] || return 0
    printf '%s\n' 'device_model_version="qemu-xen"' 'vga="none"' vnc=0 usb=0
}

# Where instructions are counted, a guest's TSC is the machine's: emulated, it
# would count time instead, and cost a call into Xen for each reading.
clock() {
    [ -z "$icount" ] || echo 'tsc_mode="native"'
}

guest_config() {
    cat <<CFG
name="$name"
type="$type"
vcpus=$vcpus
memory=$megabytes
on_crash="preserve"
$(guest_kernel)
$(placement)
$(clock)
$(devices)
CFG
}

# Sets $test_kernels, the folder of the built test kernels.
build_test_kernels() {
    local key half
    key=$(cat "$lab"/test-kernel/* | sha256sum | cut -c1-8)
    test_kernels=$store/test-kernel-$key
    [ -d "$test_kernels" ] && return
    half=$(mktemp -d "$store/layering.XXXXXX")
    "$lab/test-kernel/build" "$tree/usr/include" "$half" ||
        die "the test kernels do not build."
    mv -T "$half" "$test_kernels" 2>/dev/null || rm -rf "$half"
}

# guest_initramfs FILE
guest_initramfs() {
    local root=$work/guest-$name entry rest
    mkdir -p "$root/lab"
    echo "$name" >"$root/lab/name"
    printf '%s\n' "$command" >"$root/lab/command"
    for entry in "${guest_puts[@]}"; do
        [ "${entry%%:*}" = "$name" ] || continue
        rest=${entry#*:}
        put "$root" "${rest%%:*}" "$(real_name "${rest#*:}")"
    done
    cat "$(layer guest "$lab/guest/init" "$lab/image.sh")" >"$1"
    pack "$root" >>"$1"
}

check_guest() {
    [[ $name =~ ^[A-Za-z0-9_.-]+$ ]] ||
        die "'$name' in $guests cannot be a guest's name."
    [[ $type =~ ^(pv|pvh|hvm)$ ]] ||
        die "guest $name in $guests is '$type', which is not pv, pvh or hvm."
    [[ $vcpus$megabytes =~ ^[0-9]+$ ]] ||
        die "guest $name in $guests wants VCPUS and MEGABYTES as numbers."
    [ -n "$command" ] || die "guest $name in $guests has no command."
    case $test_kernel:$type in
    :* | *:pvh | test32:hvm) ;;
    *) die "guest $name in $guests: pvh runs test64 and test32, hvm only test32." ;;
    esac
}

# add_guests FOLDER: all guests of the guests file into dom0's image.
add_guests() {
    local name type vcpus megabytes command test_kernel into=$1/lab/guests
    mkdir -p "$into"
    : >"$into/list"
    [ -n "$guests" ] || return 0
    while read -r name type vcpus megabytes command; do
        case $name in '' | '#'*) continue ;; esac
        test_kernel=
        case $command in
        kernel:test64* | kernel:test32*) test_kernel=${command:7:6} ;;
        esac
        check_guest
        echo "$name" >>"$into/list"
        guest_config >"$into/$name.cfg"
        if [ -n "$test_kernel" ]; then
            build_test_kernels
            cp "$test_kernels/$test_kernel" "$into/"
        else
            guest_initramfs "$into/$name.initramfs"
        fi
    done <"$guests"
    layer guest_kernel "$lab/guests.sh" >>"$work/layers"
    if grep -q '^type="hvm"' "$into"/*.cfg; then
        layer device_model "$lab/guests.sh" "$lab/image.sh" >>"$work/layers"
    fi
}
