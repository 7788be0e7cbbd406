# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Our own packages, made of what was built for a host, and what they depend on.

# dpkg's database of the tree, in which libraries lie where dpkg-shlibdeps, which
# runs on the machine, finds them.
library_database() {
    local into=$1 list
    mkdir -p "$into/info"
    cp "$tree/var/lib/dpkg/status" "$into/"
    cp "$tree"/var/lib/dpkg/info/{format,*.shlibs,*.symbols} "$into/info/"
    for list in "$tree"/var/lib/dpkg/info/*.list; do
        sed "s|^/lib|/usr/lib|; s|^|$tree|" "$list" >"$into/info/${list##*/}"
    done
}

# What debian/rules does otherwise here: it takes a build that there is, and the
# host's libraries. Debian 12's debhelper knows units in /lib only.
host_rules() {
    cat <<RULES

override_dh_auto_install:
	cp -a $installed debian/tmp
	mkdir debian/tmp/lib
	mv debian/tmp/usr/lib/systemd debian/tmp/lib/

override_dh_shlibdeps:
	dh_shlibdeps -l$multiarch
RULES
}

# make_debs SOURCE INTO: the packages for dom0, as debian/rules makes them after a
# build. All work in $work.
make_debs() {
    mkdir "$work/source"
    library_database "$work/database"
    (cd "$1" && cp -R debian doc NEWS README.md SECURITY.md "$work/source/")
    host_rules >>"$work/source/debian/rules"
    # Of these debhelper believes that they are built.
    sed -n 's/^Package: //p' "$1/debian/control" >"$work/source/debian/debhelper-build-stamp"
    (cd "$work/source" &&
        UNITS=/lib/systemd/system DEB_BUILD_OPTIONS=noautodbgsym \
            DPKG_ADMINDIR=$work/database \
            dh binary -Nxenoprof-agent-static) >"$build.debs.log" 2>&1 ||
        die "no packages were made for $host; see $build.debs.log."
    mv "$work"/*.deb "$2/"
}

index_debs() {
    (cd "$1" && dpkg-scanpackages --multiversion . >"$work/Packages" 2>"$work/said" &&
        mv "$work/Packages" .)
}

# fill_archive INTO: prints what apt adds to a host that has the packages of $more
# (prepare_packages) when it installs INTO/*.deb; but for one, which is in a
# repository, INTO/archive, for apt to fetch.
fill_archive() {
    local apt=$work/apt said=$work/said fetched=libpopt0
    [ -f "$tree/debs/Packages" ] || index_debs "$tree/debs"
    make_apt_root
    echo "deb [trusted=yes] file:$tree/debs ./" >"$apt/etc/sources.list"
    cp "$more/var/lib/dpkg/status" "$apt/status"
    lab_apt apt-get -qq update
    lab_apt apt-get -s install "$1"/*.deb >"$said" 2>&1 ||
        die "apt would not install our packages on $host: $(grep 'Depends' "$said")"
    mkdir "$1/archive"
    cp "$tree/debs/$fetched"_*.deb "$1/archive/"
    awk -v fetched=$fetched '$1 == "Inst" && $2 != fetched && !/xenoprof/ { print $2 }' \
        "$said"
    index_debs "$1/archive"
}
