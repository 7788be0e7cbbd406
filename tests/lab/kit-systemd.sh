# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The systemd of dom0's release, on dom0's own files, as process 1 of namespaces
# of its own: dom0's first process is the lab's. What a person types in the dom0
# of such a host is typed in there too. A scenario takes this in by itself.

host=/host                    # dom0's root, once more
host_cgroup=/sys/fs/cgroup/host

xenopctl() { on_host xenopctl "$@"; }
xenopreport() { on_host xenopreport "$@"; }
systemctl() { on_host systemctl --no-pager "$@"; }
journal() { on_host journalctl --quiet --no-pager --output=cat --unit "$1"; }

# on_host COMMAND...: as root there. busybox's sh would take an nsenter of its own.
on_host() {
    /usr/bin/nsenter --target "$systemd" --mount --pid --cgroup --root --wd=/root "$@"
}

# show UNIT PROPERTY
show() {
    systemctl show --property "$2" --value "$1"
}

shows() {
    [ "$(show "$1" "$2")" = "$3" ]
}

# These would change what dom0 itself uses: its kernel's settings, its devices,
# and its consoles.
not_for_us() {
    echo console-getty.service getty.target getty-static.service
    echo systemd-sysctl.service systemd-modules-load.service
    echo systemd-remount-fs.service systemd-tmpfiles-setup-dev.service
    echo systemd-tmpfiles-setup-dev-early.service systemd-binfmt.service
    echo proc-sys-fs-binfmt_misc.automount
}

# Xen's own unit of Debian (12: its script; 13: xen.service) mounts xenfs. Here
# Xen's daemons run already.
stand_in() {
    cat <<'UNIT'
[Unit]
Before=multi-user.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount -t xenfs xenfs /proc/xen
[Install]
WantedBy=multi-user.target
UNIT
}

# Without a machine-id it would be a first boot, which enables all units.
install_systemd() {
    local units=/etc/systemd/system unit
    mkdir -p $host $units/multi-user.target.wants
    for unit in $(not_for_us); do
        ln -sf /dev/null $units/"$unit"
    done
    stand_in >$units/xen.service
    ln -sf ../xen.service $units/multi-user.target.wants/
    tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
    echo '+memory +pids' >/sys/fs/cgroup/cgroup.subtree_control
}

# The first process of the namespaces: the mounts that systemd would find. A boot
# of Debian's empties /tmp. Alone in its cgroup, or systemd could set no limits.
cat >/tmp/first-process <<'END'
set -e
mount --make-rprivate /
mount --rbind / /host
mount --bind /run /host/run
mount -t tmpfs tmp /host/tmp
mount -t proc proc /host/proc
umount /host/sys/fs/cgroup
echo 0 >/sys/fs/cgroup/host/cgroup.procs
exec /usr/bin/unshare --cgroup sh -ec '
    mount -t cgroup2 cgroup2 /host/sys/fs/cgroup
    exec env -i PATH=/usr/sbin:/usr/bin container=lab \
        chroot /host /lib/systemd/systemd --show-status=no'
END

# child_of PID: its first; fails without any.
child_of() {
    grep -o '^[0-9]*' "/proc/$1/task/$1/children"
}

# The first one has Linux patch its allocators, and the emulator may let another
# processor run what is half patched, for ever. So dom0 has one meanwhile.
make_cgroup() {
    xl vcpu-pin 0 all 0
    mkdir $host_cgroup
    xl vcpu-pin 0 all all
}

# boot_systemd: sets $systemd, its process as dom0 counts.
boot_systemd() {
    local outer
    [ -d $host ] || install_systemd
    make_cgroup
    /usr/bin/unshare --mount --pid --fork sh /tmp/first-process \
        >/tmp/systemd.said 2>&1 &
    outer=$!
    wait_for 30 "the first process" child_of $outer
    systemd=$(child_of $outer)
    wait_for 180 multi-user.target shows multi-user.target ActiveState active
}

# As 'poweroff' there; all its processes end with it, its cgroups, which would let
# no process in any more, and what is in /run.
end_systemd() {
    try systemctl poweroff
    wait_for 120 "the end of systemd" not test -d "/proc/$systemd"
    find $host_cgroup -depth -type d -exec rmdir {} +
    rm -rf /run/systemd /run/xenoprof
}
