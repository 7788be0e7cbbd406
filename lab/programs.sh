# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Our own programs, built for a host against its libraries: the machine's gcc
# with the host's package tree as sysroot, out of the source tree, in the cache.

# gcc looks beside itself before it looks into the sysroot; -B and -L come
# before that.
compiler() {
    echo "$1 --sysroot=$tree -B$multiarch/ -L$multiarch" \
        "-Wl,-rpath-link,$multiarch"
}

# Sets $build and $installed for the source folder $1.
choose_build() {
    local key
    key=$( (echo "$1"; compiler gcc) | sha256sum | cut -c1-8)
    build=$store/build-$key
    installed=$store/installed-$key
}

# Builds of clones that are gone.
forget_builds() {
    local from old
    for from in "$store"/build-*/configured-from; do
        [ -f "$from" ] && [ ! -d "$(cat "$from")" ] || continue
        old=${from%/*}
        rm -rf "$old" "${old/build-/installed-}" "$old".{log,debs.log,lock,copy}
    done
}

# Sets $configure for the source folder $1, or for a copy of it: one that was
# configured itself cannot be built from elsewhere.
choose_configure() {
    configure=$1/configure
    if [ -f "$1/config.status" ]; then
        configure=$build.copy/configure
        "$1/build-aux/clean-copy" "$build.copy" || return
    elif [ ! -f "$configure" ] || [ ! -f "$1/sources.mk" ]; then
        "$1/autogen.sh" || return
    fi
    [ "$(cat "$build/configure" 2>/dev/null)" = "$configure" ] ||
        rm -rf "$build"
}

# configured-from comes last: a configure that was ended begins anew.
configure_programs() {
    local source=$1
    [ "$build/configured-from" -nt "$configure" ] && return
    forget_builds
    rm -rf "$build"
    mkdir -p "$build"
    (cd "$build" && PKG_CONFIG_SYSROOT_DIR=$tree \
        PKG_CONFIG_LIBDIR=$multiarch/pkgconfig:$tree/usr/share/pkgconfig \
        "$configure" --quiet CC="$(compiler gcc)" \
        CXX="$(compiler g++)" --prefix=/usr --sysconfdir=/etc \
        --localstatedir=/var --libdir=/usr/lib/x86_64-linux-gnu) &&
        echo "$configure" >"$build/configure" &&
        echo "$source" >"$build/configured-from"
}

# What was built, or what XENOPROF_INSTALLED has: files of packages, say.
install_programs() {
    rm -rf "$installed"
    if [ -n "${XENOPROF_INSTALLED-}" ]; then
        cp -a "$XENOPROF_INSTALLED" "$installed"
    else
        make -s -C "$build" install DESTDIR="$installed"
    fi
}

# build_programs SOURCE [GOAL]...: one build at a time of one source folder for
# one host; the caller ends the lock with 'exec 8>&-' when it has read what was
# installed.
build_programs() {
    local source=$1 log configure
    shift
    choose_build "$source"
    log=$build.log
    need make
    need gcc
    exec 8>"$build.lock"
    flock 8
    choose_configure "$source" >"$log" 2>&1 8>&- ||
        die "autoconf could not make configure in $source; see $log."
    { configure_programs "$source" &&
        make -s -C "$build" -j "$(nproc)" all "$@" &&
        install_programs; } \
        >"$log" 2>&1 8>&- || die "our programs do not build for $host; see $log."
    touch "$build" "$installed"
}

make_programs() {
    local files
    cp -a "$installed" "$1"
    rm -rf "$1/usr/share/man" "$1/usr/include"
    mapfile -t files < <(find "$1" -type f)
    add_libraries "$1" "${files[@]}"
}

# The archive with our programs; none where the sources have no build yet.
programs_layer() {
    local source=$1 files
    [ -f "$source/configure.ac" ] || return 0
    build_programs "$source"
    mapfile -t files < <(find "$installed" -type f | LC_ALL=C sort)
    layer programs "$lab/image.sh" "${files[@]}"
    exec 8>&-
}
