# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# title: our Debian packages, as a first user has them: installed, sampling, sending, removed
# boot: systemd
# long: yes
# debs: yes
# limit: 900

. /tests/kit-systemd.sh

begun=$(date +%s)
after() { echo "after $(($(date +%s) - begun)) s: $*"; }

apt() { on_host env DEBIAN_FRONTEND=noninteractive apt "$@"; }

# What has a name of ours, and is none of the lab's.
traces() {
    find / -xdev \( -path /tests -o -path /host -o -path /tmp -o -path /proc -o -path /sys \) \
        -prune -o \( -name '*xenop*' -o -name 'opagent*' \) -print
}

state_of() {
    on_host dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | tr -d ' '
}

# dom0 has our programs from `make install`, and a user: out of the way with them,
# and with all that they left. At the end they are back, for the lab.
set_aside() {
    { traces; echo /etc/passwd; echo /etc/group; } >/tmp/mine
    /usr/bin/tar -cPf /aside.tar -T /tmp/mine
    traces | xargs rm -rf
    sed -i /^xenoprof:/d /etc/passwd /etc/group
}

put_back() {
    /usr/bin/tar -xPf /aside.tar
    rm /aside.tar
}

# A receiver of profiles that says yes, and counts.
receive() {
    cat >/tmp/receiver <<'END'
#!/bin/sh
while read -r key value && [ "$key" != "$(printf '\r')" ]; do
    case $key in [Cc]ontent-[Ll]ength:) length=${value%?} ;; esac
done
head -c "$length" | wc -c >>/tmp/received
printf 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
END
    chmod 755 /tmp/receiver
    nc -ll -p 4040 -e /tmp/receiver &
}

# metric NAME: its value in the last --status --prometheus.
metric() {
    awk -v name="xenoprof_$1" '$1 == name { printf "%d\n", $2 }' /tmp/metrics
}

sent() {
    xenopctl --status --prometheus >/tmp/metrics || return 1
    [ "$(metric push_samples_sent_total)" -ge 1 ]
}

set_aside
# Its log says most of what failed.
trap 'on_host journalctl -q --no-pager -o cat -n 20 2>/dev/null; put_back' EXIT
equal "what is left of make install" "$(traces)" ""
boot_systemd

echo "deb [trusted=yes] file:/tests/debs/archive ./" >/etc/apt/sources.list
echo 'Acquire::Languages "none";' >/etc/apt/apt.conf.d/lab
rm -f /etc/apt/apt.conf.d/70debconf
after "systemd is up"
must apt update
must on_host sh -c 'cd /tests/debs && DEBIAN_FRONTEND=noninteractive \
    apt install -y ./xenoprof_*.deb ./xenoprof-agent_*.deb ./libxenoprof0_*.deb'
echo "$said" | grep '^Unpacking'
after "our packages are installed"
for package in xenoprof xenoprof-agent libxenoprof0; do
    equal "the state of $package" "$(state_of $package)" ii
done

# That loads nothing, and starts the agent alone.
equal "payloads in Xen" "$(payloads)" ""
equal "xenoprofd" "$(show xenoprofd.service UnitFileState) $(show \
    xenoprofd.service ActiveState)" "disabled inactive"
equal "opagent" "$(show opagent.service UnitFileState) $(show \
    opagent.service ActiveState)" "enabled active"
must on_host id -u xenoprof
equal "the state folder" "$(stat -c '%U %a' /var/lib/xenoprof)" "root 755"

# The first command there, and what it is for. In dom0's own namespace of processes
# opagent would name known-stacks, too.
on_host /tests/bin/known-stacks >/dev/null 2>&1 &
code=$!
must xenopctl --record=10
after "a first session was recorded"
must xenopreport
echo "$said" | head -n 25
report_json /tmp/report
for mode in xen kernel user; do
    at_least "samples of the mode $mode" "$(samples /tmp/report "mode == \"$mode\"")" 20
done
for mode in xen kernel; do
    at_most "of those in $mode, in hundredths, those without a name" \
        $((100 * $(samples /tmp/report "mode == \"$mode\" && symbol == \"-\"") /
            $(samples /tmp/report "mode == \"$mode\""))) 10
done

# Profiles sent to another, whom the status names, and metrics of all that.
receive
must xenopctl --start --push=otlp+http://127.0.0.1:4040
wait_for 90 "a profile to be sent" sent
equal "lines of metrics that are none" "$(grep -vE \
    '^# (HELP|TYPE) xenoprof_[a-z_]+ |^xenoprof_[a-z_]+(\{[^{}]*\})? -?[0-9.e+-]+$' \
    /tmp/metrics)" ""
at_least "samples by --status --prometheus" "$(metric samples_read_total)" 100
equal "samples that were dropped" "$(metric push_samples_dropped_total)" 0
must xenopctl --status
says 'push      taking: to http://127.0.0.1:4040/'
echo "sent $(metric push_windows_sent_total) windows with" \
    "$(metric push_samples_sent_total) samples, $(tail -n 1 /tmp/received) bytes"
after "that was sent"

# Removed while it samples, it leaves what was recorded, and of the rest nothing.
must apt remove -y xenoprof xenoprof-agent
equal "payloads in Xen" "$(payloads)" ""
equal "its processes" "$(pidof xenoprofd opagent)" ""
must test -d $sessions
mkdir /etc/xenoprof
echo token = secret >/etc/xenoprof/push.conf
must apt purge -y xenoprof xenoprof-agent libxenoprof0
equal "what is left" "$(traces)" ""
must systemctl list-units --failed --no-legend --plain 'xenoprof*' 'opagent*'
equal "units that failed" "$said" ""
# systemd would wait for it in vain: its parent is out here.
kill "$(pidof known-stacks)"
wait $code || :
end_systemd
