# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# dom0's initramfs for one run: the cached layers, then what is this run's.

# put FOLDER SRC DST: a file or folder into an image, with the libraries that
# it needs. DST is the name it gets, or a folder if it ends in '/'.
put() {
    local into=$1 source=$2 name=$3
    [ -e "$source" ] || die "there is no '$source' to put into the image."
    case $name in */) name=$name$(basename "$source") ;; esac
    mkdir -p "$into/$(dirname "$name")"
    cp -aLT "$source" "$into/$name"
    find "$into/$name" -type f -exec sh -c \
        'head -c 4 "$1" | grep -q ELF && echo "$1"' sh {} \; >"$work/elf"
    if [ -s "$work/elf" ]; then
        mapfile -t elf <"$work/elf"
        add_libraries "$into" "${elf[@]}"
    fi
}

# Folders first: /lib and /bin are links in the layer below, so files go to
# where those point.
real_name() {
    case $1 in
    /bin/* | /sbin/* | /lib/* | /lib64/*) echo "/usr$1" ;;
    /*) echo "$1" ;;
    *) echo "/root/$1" ;;
    esac
}

add_puts() {
    local into=$1 pair
    for pair in "${puts[@]}"; do
        put "$into" "${pair%%:*}" "$(real_name "${pair#*:}")"
    done
}

# more_layer PACKAGE...: the path of their archive, if there is any.
more_layer() {
    local more
    prepare_packages "$@"
    [ -z "$more" ] || layer more "$lab/image.sh" "$more/packages"
}

# guests_limit: seconds until all guests must be up, also on a machine that does
# other work; what is wrong with one that is not is said before the lab's time ends.
guests_limit() {
    local limit=$((timeout * 4 / 5))
    echo $((limit < 1200 ? limit : 1200))
}

# make_initramfs MODE FILE
make_initramfs() {
    local mode=$1 root=$work/root
    mkdir -p "$root/lab"
    echo "mode=$mode machine=$machine icount=$icount guests_limit=$(guests_limit)" >"$root/lab/config"
    [ "$mode" = shell ] || cp "$script" "$root/lab/script"
    add_puts "$root"
    : >"$work/layers"
    add_guests "$root"
    layer dom0 "$lab/image.sh" "$lab"/dom0/* >>"$work/layers"
    [ -n "$bare" ] || programs_layer "$(dirname "$lab")" >>"$work/layers"
    more_layer "${packages[@]}" >>"$work/layers"
    pack "$root" >"$work/last"
    xargs -d '\n' cat <"$work/layers" >"$2"
    cat "$work/last" >>"$2"
}
