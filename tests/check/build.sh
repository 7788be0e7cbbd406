# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Builds and their unit and golden tests, each out of the tree.

jobs=$(nproc)

autotools() {
    [ -f configure ] && [ configure -nt configure.ac ] &&
        [ configure -nt m4/xenoprof.m4 ] && return 0
    ./autogen.sh
}

configure_and_make() {
    local folder=$1
    shift
    mkdir -p "$folder" && (cd "$folder" &&
        ../configure --quiet --enable-werror "$@" && make -s -j "$jobs")
}

# check_build NAME TITLE [CONFIGURE ARGUMENT]...
check_build() {
    local folder=build-$1 title=$2 status=0
    shift 2
    say "$title"
    [ -f configure ] || autotools >"$logs/autogen.log" 2>&1
    case_of "build: $title" configure_and_make "$folder" "$@"
    make -s -C "$folder" -j "$jobs" check >"$logs/$folder.log" 2>&1 || status=$?
    cat "$folder"/tests/*/*.log "$folder"/tests/*.log 2>/dev/null \
        >"$logs/$folder.tap"
    count "$title" $status "$logs/$folder.tap" "$logs/$folder.log"
}

distcheck() {
    make -s -C build-gcc -j "$jobs" distcheck DISTCHECK_CONFIGURE_FLAGS=--quiet
}

# install INTO A FOLDER: all that a user gets is there.
installs() {
    local into=$logs/installed file
    make -s -C build-gcc install DESTDIR="$into" || return 1
    for file in sbin/xenopctl sbin/xenoprofd bin/xenopreport \
        lib/libxenoprof.so share/xenoprof/xenoprof-module.o \
        share/man/man8/xenopctl.8 lib/pkgconfig/libxenoprof.pc; do
        [ -e "$into/usr/local/$file" ] || { echo "no $file"; return 1; }
    done
}

# A configure that lacks several things must name all of them at once.
names_what_is_missing() {
    local folder=$logs/missing source=$PWD text package
    mkdir -p "$folder"
    text=$(cd "$folder" && ac_cv_header_popt_h=no ac_cv_header_xenctrl_h=no \
        ac_cv_lib_zstd_ZSTD_compress=no "$source/configure" --quiet 2>&1) &&
        { echo "configure goes on without them"; return 1; }
    for package in libpopt-dev libxen-dev libzstd-dev; do
        grep -q "apt-get install.*$package" <<<"$text" ||
            { echo "$text"; return 1; }
    done
}

check_dist() {
    say "distribution"
    case_of "configure names what is missing" names_what_is_missing
    case_of "make install DESTDIR" installs
    case_of "make distcheck" distcheck
}
