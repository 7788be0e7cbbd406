# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: each failure has one sentence with its remedy, and its own exit status
# boot: main
# long: yes
# guests: pv1
# limit: 600

# Nothing is there yet.
refused 2 'nothing to do; .*--help' xenopctl
refused 2 'unknown option' xenopctl --bogus
refused 16 'no session' xenopreport
refused 16 'no session.*"nosuch"|no session.*nosuch' xenopreport --session=nosuch
must xenopctl --stop
says 'nothing is being sampled'
must xenopctl --shutdown
says 'not running'
must xenopctl --deinit
says 'not loaded'

# Values.
refused 13 '1 to 5000' xenopctl --start --frequency=5001
refused 13 '1 to 5000' xenopctl --start --frequency=0
refused 13 '--force=frequency' xenopctl --start --frequency=1001
refused 13 'power of two' xenopctl --start --ring-size=5
refused 13 'nmi or timer' xenopctl --start --sampler=magic
refused 13 'out of range' xenopctl --start --duration=0
refused 13 'pCPU' xenopctl --start --pcpus=200
refused 13 'cpupool-list' xenopctl --start --cpupool=nosuch
refused 2 'one of them' xenopctl --start --pcpus=0 --cpupool=Pool-0
refused 13 'seconds' xenopctl --record=0

# Domains.
refused 12 'nosuch.*(Domain-0|pv1)' xenopctl --start --passive-domains=nosuch
refused 12 '999.*pv1' xenopctl --start --passive-domains=999

# The sessions' folder, which a daemon that runs already would check itself.
mkdir -p /mnt
must xenopctl --shutdown
mount -t tmpfs -o ro none /mnt
refused 14 '/mnt/here' xenopctl --start --session-dir=/mnt/here
umount /mnt
must xenopctl --shutdown
mount -t tmpfs -o size=64k none /mnt
head -c 64k /dev/zero >/mnt/filling 2>/dev/null
refused 15 'full' xenopctl --start --session-dir=/mnt/sessions

# The disk fills during a session: --status says so, and once there is room,
# nothing is missing.
must xenopctl --shutdown
umount /mnt
mount -t tmpfs -o size=1m none /mnt
must xenopctl --start --session-dir=/mnt/sessions --frequency=997
cat /dev/zero >/mnt/filling 2>/dev/null
is_full() {
    xenopctl --status --session-dir=/mnt/sessions | grep -q '^trouble.*full'
}
wait_for 120 "--status to say that the disk is full" is_full
rm /mnt/filling
must xenopctl --stop
status_json /tmp/status
check_status /tmp/status
report_json /tmp/report --session-dir=/mnt/sessions
check_report /tmp/report /tmp/status
must xenopctl --shutdown
umount /mnt

# Another session is running.
must xenopctl --start --passive-domains=pv1
must xenopctl --start --passive-domains=pv1
says 'goes on since'
refused 11 'since .* by ' xenopctl --start --frequency=50
equal "the state after the refusal" \
    "$(xenopctl --status --json | sed -n 's/.*"state": "\([a-z]*\)".*/\1/p' | head -n 1)" \
    running
must xenopctl --setup
says 'already loaded'
more_samples 50
stop_and_check
refused 13 'not a valid session name' xenopctl --save=../outside
must xenopctl --save=kept
refused 17 'kept' xenopctl --save=kept

# Folders that are not a session, and sessions that are newer or damaged.
mkdir /tmp/empty
refused 18 'no session|not a session' xenopreport --session=/tmp/empty
file=$(ls $sessions/current/* | head -n 1)
cp -r $sessions/current /tmp/damaged
damaged=/tmp/damaged/$(basename "$file")
size=$(stat -c %s "$damaged")
printf 'XXXXXXXX' | dd of="$damaged" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
try xenopreport --table --session=/tmp/damaged
equal "the status of a report of a damaged session" $status 32
says 'damaged'

# Not root.
chmod 755 /tmp
try su -s /bin/sh nobody -c '/usr/sbin/xenopctl --status'
equal "the status for somebody who is not root" $status 5
says 'root'
