# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The pieces of dom0's initramfs. The kernel takes several archives one after
# the other, so what rarely changes is packed once and kept in the cache.

# skeleton FOLDER: an empty system with the folders that all expect.
skeleton() {
    local into=$1 name
    mkdir -p "$into"/{dev,proc,sys,run,tmp,root,etc,lab} \
        "$into"/usr/{bin,sbin,lib,lib64} "$into"/var/{lib,log}
    for name in bin sbin lib lib64; do
        ln -s "usr/$name" "$into/$name"
    done
    ln -s ../run "$into/var/run"
    echo 'root:x:0:0:root:/root:/bin/sh' >"$into/etc/passwd"
    echo 'root:x:0:' >"$into/etc/group"
    printf '%s:x:%s:\n' nogroup 65534 xenoprof 990 >>"$into/etc/group"
    printf '%s:x:%s::/:/bin/false\n' nobody 65534:65534 \
        xenoprof 990:990 >>"$into/etc/passwd"
}

add_busybox() {
    local into=$1 applet
    cp "$tree/bin/busybox" "$into/usr/bin/busybox"
    for applet in $("$tree/bin/busybox" --list); do
        [ "$applet" = busybox ] || ln -s busybox "$into/usr/bin/$applet"
    done
}

is_elf() {
    [ -f "$1" ] && [ "$(head -c 4 "$1" | tr -d '\0')" = $'\x7fELF' ]
}

# Static programs and object files have no libraries to look for.
is_dynamic() {
    is_elf "$1" && readelf -lW "$1" 2>/dev/null | grep -q DYNAMIC
}

# add_libraries FOLDER FILE...: the shared libraries of the ELF files among
# FILE, out of the tree, below FOLDER.
add_libraries() {
    local into=$1 file library paths
    shift
    paths=$multiarch:$into/usr/lib/x86_64-linux-gnu:$into/usr/local/lib
    for file; do
        is_dynamic "$file" || continue
        "$multiarch/ld-linux-x86-64.so.2" --inhibit-cache \
            --library-path "$paths" --list "$file" 2>/dev/null || :
    done | awk -v tree="$tree/" '
        $3 == "not" { print "missing " $1 }
        index($3, tree) == 1 { print substr($3, length(tree) + 1) }
        index($1, tree) == 1 { print substr($1, length(tree) + 1) }' |
        sort -u | while read -r library; do
        case $library in
        missing*) die "$host has no ${library#missing }, which a program needs." ;;
        esac
        mkdir -p "$into/$(dirname "$library")"
        [ -e "$into/$library" ] || cp -L "$tree/$library" "$into/$library"
    done
    mkdir -p "$into/usr/lib64"
    cp -L "$multiarch/ld-linux-x86-64.so.2" "$into/usr/lib64/"
}

# add_module FOLDER NAME: a module of the host's kernel, unpacked, and its place
# in the order they are loaded in. Nothing, if the kernel has no such module: it
# may be built in.
add_module() {
    local into=$1/lab/modules name=$2 file
    mkdir -p "$into"
    file=$(find "$tree/lib/modules/$kernel_version" \
        -name "$name.ko" -o -name "$name.ko.xz")
    case $file in
    *.xz) xz -dc "$file" >"$into/$name.ko" ;;
    *.ko) cp "$file" "$into/$name.ko" ;;
    '') return ;;
    esac
    echo "$name" >>"$into/order"
}

add_dom0_modules() {
    local name
    while read -r name; do
        add_module "$1" "$name"
    done <"$lab/dom0/modules"
}

# Debian's xl and friends are scripts that look for the real ones, which lie
# in a folder of their own; that folder is on dom0's PATH.
add_xen_programs() {
    local into=$1 bin=usr/lib/xen-$series/bin file
    mkdir -p "$into/$bin" "$into"/var/{lib/xen,lib/xenstored,log/xen} \
        "$into/etc/xen"
    for file in "$tree/$bin"/* "$tree"/usr/bin/xenstore* \
        "$tree"/usr/sbin/xenhypfs "$tree"/usr/bin/xen-detect \
        "$tree"/usr/bin/xenalyze; do
        is_elf "$file" || continue
        cp -L "$file" "$into/${file#"$tree/"}"
        add_libraries "$into" "$file"
    done
    cp -L "$multiarch/libgcc_s.so.1" "$into/usr/lib/x86_64-linux-gnu/"
}

# pack FOLDER: as an archive on stdout, padded so that another may follow.
pack() {
    (cd "$1" && find . -mindepth 1 | LC_ALL=C sort |
        cpio --quiet -o -H newc -R 0:0)
}

# layer NAME KEY-FILES...: the path of a cached archive; where it is not there
# yet, make_NAME FOLDER fills a folder for it.
layer() {
    local name=$1 key archive folder
    shift
    key=$( (echo "$tree"; cat "$@") | sha256sum | cut -c1-16)
    archive=$store/layer-$name-$key
    if [ ! -f "$archive" ]; then
        folder=$(mktemp -d "$store/layering.XXXXXX")
        "make_$name" "$folder/root"
        pack "$folder/root" >"$folder/archive"
        mv "$folder/archive" "$archive"
        rm -rf "$folder"
    fi
    touch "$archive"
    echo "$archive"
}

# What --package names, as unpacked: no script of a package has run. Its C library
# is the newest of the suite, and so serves all programs of the image.
make_more() {
    cp -a "$more" "$1"
    rm -rf "$1"/{bin,sbin,lib,lib64,packages,debs} "$1"/usr/share/{doc,info,locale,man}
}

make_dom0() {
    skeleton "$1"
    add_busybox "$1"
    add_dom0_modules "$1"
    add_xen_programs "$1"
    : >"$1/etc/xen/xl.conf"
    cp "$lab/dom0/init" "$1/init"
    cp "$lab"/dom0/*.sh "$1/lab/"
    echo "$series" >"$1/lab/series"
    chmod 755 "$1/init"
}
