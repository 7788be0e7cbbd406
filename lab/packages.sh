# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Debian packages, extracted into the cache. Nothing is ever installed on the
# machine: apt works in a root of its own here, and dpkg's scripts never run.

# The mirror that the machine itself uses, or Debian's own.
mirror() {
    local label=$1 default=$2 uri
    uri=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' \
        'Created-By: Packages' 2>/dev/null |
        awk -v label="$label" '$1 == label { print $2; exit }')
    echo "${uri:-$default}"
}

sources() {
    local main security
    main=${XENOPROF_MIRROR:-$(mirror Debian http://deb.debian.org/debian)}
    security=${XENOPROF_SECURITY_MIRROR:-$(mirror Debian-Security \
        http://deb.debian.org/debian-security)}
    echo "deb $main $suite main"
    [ "$apt" = "$store/apt" ] || return 0
    echo "deb $main $suite-updates main"
    echo "deb $security $suite-security main"
}

# What dom0 runs, and what our programs are built against.
tree_packages() {
    echo linux-image-amd64 busybox-static "xen-utils-$series" xenstore-utils
    echo libxen-dev libc6-dev linux-libc-dev "libgcc-$gcc_series-dev"
    echo libelf-dev libdw-dev libcapstone-dev libzstd-dev libpopt-dev libpfm4-dev
    echo qemu-system-xen seabios grub-common grub-xen-bin
    echo libseccomp-dev libcap-dev binutils-dev zlib1g-dev libcurl4-openssl-dev
    echo libncurses-dev
}

# Reads $host, sets everything that follows from it.
choose_host() {
    [ -f "$lab/hosts/$host" ] ||
        die "there is no host '$host'; choose one of: $(ls "$lab/hosts")."
    # shellcheck source=/dev/null
    . "$lab/hosts/$host"
    store=${XENOPROF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xenoprof}/$host
    mkdir -p "$store" || die "there is no cache; name a folder that can be written with XENOPROF_CACHE."
    store=$(cd "$store" && pwd)
    apt=$store/apt
    tree=$store/tree-$( (tree_packages; echo 3) | sha256sum | cut -c1-8)
    multiarch=$tree/usr/lib/x86_64-linux-gnu
}

# apt in a root of its own, $apt.
lab_apt() {
    APT_CONFIG=$apt/apt.conf "$@"
}

# A release in the making says for how long its lists are valid: a mirror may
# well be older than that.
make_apt_root() {
    local root=$apt
    [ ! -f "$root/ready" ] || return 0
    rm -rf "$root"
    mkdir -p "$root"/state/lists/partial "$root"/cache/archives/partial \
        "$root"/etc/apt.conf.d "$root"/etc/preferences.d
    : >"$root/status"
    sources >"$root/etc/sources.list"
    cat >"$root/apt.conf" <<CONF
Dir "$root";
Dir::Etc "$root/etc";
Dir::Etc::TrustedParts "/usr/share/keyrings";
Dir::State "$root/state";
Dir::State::status "$root/status";
Dir::Cache "$root/cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Check-Valid-Until "$([ "$apt" = "$store/apt" ] && echo true || echo false)";
pkgCacheGen::ForceEssential "no";
CONF
    : >"$root/ready"
}

# The archive as it is today: it keeps no package that has been replaced.
read_archive() {
    local lists=$apt/lists-read
    make_apt_root
    [ -z "$(find "$lists" -mtime -1 2>/dev/null)" ] || return 0
    lab_apt apt-get -qq update ||
        die "cannot read Debian's package lists for $suite; is there a network? Another mirror can be named with XENOPROF_MIRROR=URL."
    : >"$lists"
}

# record DATABASE FILE.deb: what dpkg, which has never seen it, would know of a
# package that is installed; stdin has the names of its files.
record() {
    local database=$1 control=$1/control name file
    dpkg-deb --control "$2" "$control"
    name=$(awk '$1 == "Package:" { name = $2 }
        $1 $2 == "Multi-Arch:same" { name = name ":amd64" }
        END { print name }' "$control/control")
    sed 's|^\.||; s|/$||; s|^$|/.|' >"$database/info/$name.list"
    { sed 's/^Package: .*/&\nStatus: install ok installed/' "$control/control"
        echo; } >>"$database/status"
    rm -f "$control"/{control,md5sums}
    for file in "$control"/*; do
        [ ! -f "$file" ] || mv "$file" "$database/info/$name.${file##*/}"
    done
    rmdir "$control"
}

# unpack FOLDER FILE.deb...: as in a system where /lib is /usr/lib, with what dpkg
# would know of it.
unpack() {
    local into=$1 name deb
    local database=$into/var/lib/dpkg
    mkdir -p "$database"/{info,updates,triggers}
    echo 1 >"$database/info/format"
    shift
    for name in bin sbin lib lib64; do
        mkdir -p "$into/usr/$name"
        ln -sfn "usr/$name" "$into/$name"
    done
    for deb; do
        dpkg-deb --fsys-tarfile "$deb" |
            tar -C "$into" -xv --keep-directory-symlink --no-same-owner |
            record "$database" "$deb"
    done
}

# A link to /lib/... would lead a build out of the tree.
keep_links_inside() {
    local link
    find "$1/usr/lib" -lname '/*' | while read -r link; do
        ln -sfnr "$1$(readlink "$link")" "$link"
    done
}

# extract FOLDER PACKAGE...: the packages, with all that they depend on; their
# names and versions go into FOLDER/packages, the small ones of them, for others to
# install, into FOLDER/debs.
extract() {
    local into=$1 half
    shift
    [ ! -d "$into" ] || return 0
    say "extracting $suite's packages into $into (once)"
    read_archive
    half=$(mktemp -d "$store/half.XXXXXX")
    mkdir -p "$half/archives/partial"
    lab_apt apt-get -qq -y --download-only \
        -o "Dir::Cache::archives=$half/archives" install "$@" \
        >"$half/log" || die "apt could not fetch the packages: see $half/log."
    unpack "$half/tree" "$half"/archives/*.deb
    keep_links_inside "$half/tree"
    ls "$half/archives" >"$half/tree/packages"
    mkdir "$half/tree/debs"
    find "$half/archives" -name '*.deb' ! -name '*-dev_*' -size -8M \
        -exec mv -t "$half/tree/debs" {} +
    mv -T "$half/tree" "$into"
    rm -rf "$half"
}

make_tree() {
    local list
    read -ra list <<<"$(tree_packages | tr '\n' ' ')"
    extract "$tree" "${list[@]}"
}

# prepare_packages PACKAGE...: sets $more, the folder that they are unpacked into;
# empty without any. They stay out of $tree, since most runs do without them.
prepare_packages() {
    more=
    [ $# -gt 0 ] || return 0
    more=$store/more-$(printf '%s\n' 2 "$@" | sha256sum | cut -c1-8)
    exec 9>"$store/lock"
    flock 9
    extract "$more" "$@"
    touch "$more"
    exec 9>&-
}

# Those of dom0 and of each guest.
prepare_all_packages() {
    local name
    prepare_packages "${packages[@]}"
    for name in "${guest_packages[@]%%:*}"; do
        # shellcheck disable=SC2046
        prepare_packages $(rests "${guest_packages[@]}")
    done
}

# The archive's newest build of the hypervisor whose version begins with $1.
pick_version() {
    lab_apt apt-cache madison "xen-hypervisor-$series-amd64" |
        awk -F ' *[|] *' -v want="$1" 'index($2, want) == 1 { print $2; exit }'
}

# Old releases have none.
symbols_package() {
    local name=xen-hypervisor-$series-amd64-dbg=$1
    ! lab_apt apt-cache show "$name" >/dev/null 2>&1 || echo "$name"
}

# Fetches the build $1 of the hypervisor, and its symbols, which only tests read,
# into $2.
make_hypervisor() {
    local half
    half=$(mktemp -d "$store/half.XXXXXX")
    (cd "$half" && lab_apt apt-get -qq download \
        "xen-hypervisor-$series-amd64=$1" $(symbols_package "$1")) ||
        die "apt could not fetch Xen $1."
    unpack "$half/tree" "$half"/*.deb
    gzip -dc "$half/tree/boot/xen-$series-amd64.gz" >"$half/tree/xen"
    ln -s "usr/lib/debug/boot/xen-syms-$series-amd64" "$half/tree/xen-syms"
    mv -T "$half/tree" "$2"
    rm -rf "$half"
}

# lacks VERSION ASKED: only a version that somebody asked for may be absent.
lacks() {
    local say=die
    [ -z "$2" ] || say=absent
    $say "the archive has no Xen '$1' for $host; it has: $(pick_all)."
}

# Sets $hypervisor, the folder of the build that begins with $1 (empty: the
# newest one there was when the cache was made), or is $1, of somebody's own build.
choose_hypervisor() {
    local want=${1:-} known=$store/default-xen version folder
    [[ ! $want =~ ^/ ]] || { hypervisor=$want; return; }
    [[ ! $want =~ ^[a-z] ]] || { choose_from_suite "$want"; return; }
    [ -n "$want" ] || want=$(cat "$known" 2>/dev/null) || want=
    for folder in "$store/xen-$want"*; do
        [ -n "$want" ] && [ -f "$folder/xen" ] && hypervisor=$folder && return
    done
    read_archive
    version=$(pick_version "$want")
    [ -n "$version" ] || lacks "$want" "${1:-}"
    make_hypervisor "$version" "$store/xen-$version"
    [ -n "${1:-}" ] || echo "$version" >"$known"
    hypervisor=$store/xen-$version
}

# The same for SUITE or SUITE/SERIES: another release of Debian, and of Xen if
# SERIES is not the host's.  Only Xen is of that release.
choose_from_suite() {
    local suite=${1%%/*} apt=$store/apt-${1%%/*} series=$series version folder
    case $1 in */*) series=${1#*/} ;; esac
    for folder in "$store/xen-$suite-$series"*; do
        [ -f "$folder/xen" ] && hypervisor=$folder && return
    done
    read_archive
    version=$(pick_version "")
    [ -n "$version" ] || absent "Debian's $suite has no Xen $series."
    hypervisor=$store/xen-$suite-$version
    make_hypervisor "$version" "$hypervisor"
}

# If somebody's own Xen has its own tools beside it, sets $series to theirs, and $tree
# to one with these in place of Debian's.
choose_tools() {
    local from=$hypervisor/tools/usr key half
    [ -d "$from" ] || return 0
    series=$(basename "$(echo "$from"/lib/x86_64-linux-gnu/libxenctrl.so.*.*.0)" .0)
    series=${series#libxenctrl.so.}
    key=$(find "$from" -type f -printf '%P %s %T@\n' | sort | sha256sum | cut -c1-8)
    if [ ! -d "$tree-$key" ]; then
        half=$(mktemp -d "$store/half.XXXXXX")
        cp -al "$tree" "$half/tree"
        rm -rf "$half"/tree/usr/{include/xen*,bin/xenstore*} \
            "$half"/tree/usr/lib/x86_64-linux-gnu/{libxen*,pkgconfig/xen*}
        cp -a --remove-destination "$from" "$half/tree/"
        mkdir -p "$half/tree/usr/lib/xen-$series/bin"
        cp -a "$from"/sbin/* "$from"/lib/xen/bin/* "$half/tree/usr/lib/xen-$series/bin/"
        mv -T "$half/tree" "$tree-$key"
        rm -rf "$half"
    fi
    tree=$tree-$key
    multiarch=$tree/usr/lib/x86_64-linux-gnu
}

pick_all() {
    lab_apt apt-cache madison "xen-hypervisor-$series-amd64" |
        awk -F ' *[|] *' '!seen[$2]++ { printf "%s%s", sep, $2; sep = ", " }'
}

# What was left half made, and what no run has made use of for a week. Until
# then it stays, since runs of several clones go on side by side.
sweep() {
    rm -rf "$store"/half.*
    find "$store" -mindepth 1 -maxdepth 1 -mtime +7 \
        ! -name apt ! -name default-xen ! -name 'xen-*' -exec rm -rf '{}' +
}

# One maker at a time.
prepare() {
    exec 9>"$store/lock"
    flock 9
    sweep
    make_tree
    choose_hypervisor "${1:-${XENOPROF_XEN-}}"
    choose_tools
    touch "$tree"
    exec 9>&-
    kernel=$(echo "$tree"/boot/vmlinuz-*)
    kernel_version=${kernel#*vmlinuz-}
}
