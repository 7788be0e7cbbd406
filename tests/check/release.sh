# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# A release, as distcheck leaves it, and what packages are made of.

release() {
    ls build-gcc/xenoprof-*.tar.gz
}

# unpack FOLDER: the release in there, without the folder that it brings.
unpack() {
    mkdir -p "$1" && tar -xzf "$(release)" -C "$1" --strip-components=1
}

# Each file that git tracks is in it; those for git and clang-format are for a clone.
release_has_all() {
    local missing
    git ls-files >/dev/null 2>&1 || return 0
    missing=$(git ls-files | grep -v '^\.' | sort |
        comm -23 - <(tar -tzf "$(release)" | sed 's|^[^/]*/||' | sort))
    [ -z "$missing" ] || { echo "not in the release: $missing"; return 1; }
}

# build_at FOLDER INTO: a build without Xen's libraries, and its files, installed.
build_at() {
    unpack "$1" && (cd "$1" &&
        ./configure --quiet --without-xen CFLAGS="-O0 -g" &&
        make -s -j "$jobs" && make -s install DESTDIR="$2") || return 1
    rm -r "$1"
}

# Elsewhere, later, in another language and another part of the world.
builds_are_equal() {
    local first=$logs/first second=$logs/second
    TZ=UTC build_at "$logs/here" "$first" || return 1
    TZ=Pacific/Auckland LC_ALL=C.UTF-8 \
        build_at "$logs/else/where" "$second" || return 1
    [ -e "$first/usr/local/bin/xenopreport" ] || return 1
    diff -r "$first" "$second"
}

# Debian's source package: its form, and what lintian says.
debian_source() {
    local folder=$logs/debian version
    version=$(sed -n 's/.*\[xenoprof\], \[\(.*\)\].*/\1/p' configure.ac)
    unpack "$folder/xenoprof" &&
        cp "$(release)" "$folder/xenoprof_$version.orig.tar.gz" &&
        (cd "$folder" && dpkg-source --build xenoprof &&
            lintian --fail-on error,warning ./*.dsc)
}

check_release() {
    case_of "the release has each file" release_has_all
    case_of "two builds have equal bytes" builds_are_equal
    case_of "Debian's source package" debian_source
    case_of "the RPM spec" rpmspec --parse packaging/xenoprof.spec
}
