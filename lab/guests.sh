# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The guests: what a line of the guests file asks for, as an xl configuration,
# a kernel and an initramfs inside dom0.

# Under emulation a CPU seems stuck now and then, which would be printed into what
# a guest's command prints, whatever the level.
guest_options="console=hvc0 quiet loglevel=3 nowatchdog"

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

# An hvm guest starts in its firmware, which looks for a boot loader, for minutes
# under emulation. A test kernel takes its place.
test_kernel_options() {
    if [ "$type" = hvm ]; then
        echo "firmware_override=\"/lab/guests/$name.firmware\""
    else
        echo "kernel=\"/lab/guests/$test_kernel\""
        echo "cmdline=\"$words\""
    fi
}

# firmware FILE: the test kernel with its command inside.
firmware() {
    printf '%-63s\0' "$words" >"$work/command"
    [ "$(stat -c %s "$work/command")" = 64 ] ||
        die "guest $name in $guests: its test kernel has room for 63 letters."
    objcopy --update-section ".command=$work/command" \
        "$test_kernels/$test_kernel" "$1"
}

# The stock kernel runs the command; a test kernel gets it as its own.
guest_kernel() {
    if [ -n "$test_kernel" ]; then
        test_kernel_options
    elif [ -n "$loader" ]; then
        echo "kernel=\"/lab/guests/$name.$loader\""
    else
        case $type in
        hvm) echo 'kernel="/lab/guests/vmlinuz"' ;;
        *) echo 'kernel="/lab/guests/vmlinux"' ;;
        esac
        echo "ramdisk=\"/lab/guests/$name.initramfs\""
        echo "extra=\"$guest_options\""
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

# rests OPTION...: what stands behind 'GUEST:', of those that mean this guest.
rests() {
    local option
    for option; do
        case ${option%%:*} in
        "$name" | all) echo "${option#*:}" ;;
        esac
    done
}

# add_guest_modules FOLDER
add_guest_modules() {
    local module
    for module in $(rests "${guest_modules[@]}"); do
        add_module "$1" "$module"
        [ -f "$1/lab/modules/$module.ko" ] ||
            die "the kernel of $host has no module '$module' for guest $name."
    done
}

# guest_initramfs FILE
guest_initramfs() {
    local root=$work/guest-$name rest
    mkdir -p "$root/lab"
    echo "$name" >"$root/lab/name"
    printf '%s\n' "$command" >"$root/lab/command"
    while read -r rest; do
        put "$root" "${rest%%:*}" "$(real_name "${rest#*:}")"
    done < <(rests "${guest_puts[@]}")
    add_guest_modules "$root"
    cat "$(layer guest "$lab/guest/init" "$lab/image.sh")" >"$1"
    # shellcheck disable=SC2046
    more_layer $(rests "${guest_packages[@]}") | xargs -r -d '\n' cat >>"$1"
    pack "$root" >>"$1"
}

# A program of the host's packages, here.
host_program() {
    local program=$1
    shift
    "$multiarch/ld-linux-x86-64.so.2" --inhibit-cache \
        --library-path "$multiarch" "$tree/$program" "$@"
}

# grub_image INITRAMFS FILE: GRUB for PVH with the kernel, as it comes, and the
# initramfs in it. Xen's domain builder enters a kernel behind the code that
# unpacks it, and so after the choice of an address (KASLR). GRUB does not.
grub_image() {
    local root=$work/grub-$name modules=usr/lib/grub/i386-xen_pvh
    mkdir "$root"
    cp "$kernel" "$root/vmlinuz"
    cp "$1" "$root/initramfs"
    tar -C "$root" -cf "$root/disk" vmlinuz initramfs
    printf '%s\n' "linux (memdisk)/vmlinuz $guest_options" \
        'initrd (memdisk)/initramfs' boot >"$root/config"
    host_program usr/bin/grub-mkimage -O i386-xen_pvh -d "$tree/$modules" \
        -p '(memdisk)' -c "$root/config" -m "$root/disk" -o "$2" \
        memdisk tar linux
    rm -r "$root"
}

# Sets what becomes of "kernel:...": $test_kernel and $words, or $loader and
# $command.
read_command() {
    test_kernel='' loader='' words=''
    case $command in
    kernel:test64* | kernel:test32*) test_kernel=${command:7:6} words=${command:14} ;;
    'kernel:kaslr '*) loader=grub command=${command#kernel:kaslr } ;;
    kernel:*) die "guest $name in $guests wants '$command', which is none of kernel:test64, kernel:test32 and kernel:kaslr COMMAND." ;;
    esac
}

check_guest() {
    [[ $name =~ ^[A-Za-z0-9_.-]+$ && $name != all ]] ||
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
    [ -z "$loader" ] || [ "$type" = pvh ] ||
        die "guest $name in $guests: kernel:kaslr is for pvh."
}

# add_guests FOLDER: all guests of the guests file into dom0's image.
add_guests() {
    local name type vcpus megabytes command test_kernel loader words
    local into=$1/lab/guests
    mkdir -p "$into"
    : >"$into/list"
    [ -n "$guests" ] || return 0
    while read -r name type vcpus megabytes command; do
        case $name in '' | '#'*) continue ;; esac
        read_command
        check_guest
        echo "$name" >>"$into/list"
        guest_config >"$into/$name.cfg"
        if [ -n "$test_kernel" ]; then
            build_test_kernels
            cp "$test_kernels/$test_kernel" "$into/"
            [ "$type" != hvm ] || firmware "$into/$name.firmware"
        else
            guest_initramfs "$into/$name.initramfs"
            [ -z "$loader" ] || {
                grub_image "$into/$name.initramfs" "$into/$name.$loader"
                rm "$into/$name.initramfs"
            }
        fi
    done <"$guests"
    layer guest_kernel "$lab/guests.sh" >>"$work/layers"
    if grep -q '^type="hvm"' "$into"/*.cfg; then
        layer device_model "$lab/guests.sh" "$lab/image.sh" >>"$work/layers"
    fi
}
