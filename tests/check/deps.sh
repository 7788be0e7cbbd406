# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The packages that building and testing need.  Of Xen, only client libraries.

build_packages=(autoconf automake libtool pkg-config make gcc g++ libc6-dev
    libpopt-dev libzstd-dev zlib1g-dev liblzma-dev binutils-dev libelf-dev libdw-dev
    libcapstone-dev libseccomp-dev libxen-dev libpfm4-dev libiberty-dev libbz2-dev
    libcurl4-openssl-dev libncurses-dev)
check_packages=(clang clang-format lld libclang-rt-14-dev valgrind groff
    zsh fish dpkg-dev debhelper lintian rpm python3 openssl)
# What opens exports in tests: without them these are skipped, and say so.
export_packages=(golang-go protobuf-compiler linux-perf)
lab_packages=(qemu-system-x86 debian-archive-keyring binutils cpio xz-utils zstd)
# Intel's VMX, which --long alone boots.
long_packages=(bochs bochsbios grub-common grub-pc-bin xorriso mtools)

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
            grep -q 'ok installed' || echo "$package"
    done
}

# apt ARGUMENT...: apt-get, which waits while another process has its lock.
apt() {
    local said waits=0
    until said=$(LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -y -qq \
        -o DPkg::Lock::Timeout=3 "$@" 2>&1 </dev/null); do
        case $said in
        *"Could not get lock"* | *"Unable to lock"*) ;;
        *) echo "$said"; return 1 ;;
        esac
        [ $waits -gt 0 ] || echo "Another process has apt's lock; waiting for" \
            "it, up to 10 minutes. ${said%%$'\n'*}"
        waits=$((waits + 1))
        [ $waits -lt 100 ] || { echo "$said"; return 1; }
        sleep 3
    done
}

# install_packages PACKAGE...: names the missing ones and installs them.  Returns 1
# if it cannot.
install_packages() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        echo "No dpkg here: please see to it that these are installed: $*"
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "To be installed on this machine: ${missing[*]}"
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "That needs root and apt-get: apt-get install ${missing[*]}"
        return 1
    fi
    apt update && apt install --no-install-recommends "${missing[@]}"
}

# The browser that tests the page, 100 MB with node: without it these tests are
# skipped, and say so.
install_browser() {
    local packages=()
    command -v chromium >/dev/null || packages+=(chromium)
    command -v node >/dev/null || packages+=(nodejs)
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}" ||
        echo "Without ${packages[*]} the tests of the page will be skipped."
}

# What npm alone has: tests leave out what needs it.
npm_folder=${XENOPROF_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/xenoprof}/npm

# npm_package FILE PACKAGE WITHOUT: FILE is one of its modules' that is there when it is
# had; WITHOUT says what is left out if it cannot be.
npm_package() {
    [ ! -e "$npm_folder/node_modules/$1" ] && command -v npm >/dev/null || return 0
    timeout 120 npm install --silent --no-audit --no-fund --prefix "$npm_folder" \
        "$2" </dev/null >/dev/null 2>&1 || echo "npm has no $2 here: $3"
}

install_npm_packages() {
    npm_package .bin/profiler-cli @firefox-devtools/profiler-cli@0.10.0 \
        "nothing but ours will read Firefox's format."
    npm_package .bin/tsc typescript@5.9.3 "types of the page's scripts will not be checked."
    npm_package axe-core/axe.min.js axe-core@4.14.1 \
        "nothing will look for what keeps people from using the page."
}

install_missing() {
    install_browser
    install_npm_packages
    [ "$level" != long ] || lab_packages+=("${long_packages[@]}")
    install_packages "${build_packages[@]}" "${check_packages[@]}" \
        "${export_packages[@]}" "${lab_packages[@]}"
}
