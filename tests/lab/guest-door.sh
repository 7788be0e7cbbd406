# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a guest that tries the door reaches Xen, which refuses it with EPERM
# boot: main
# usually: debian13
# guests: doorman

log=/var/log/xen/guest-doorman.log

must xenopctl --start
# Another guest like test64, created while the door is there.
sed 's/^name=.*/name="doorman"/' /lab/guests/test64.cfg >/tmp/doorman.cfg
must xl create -q /tmp/doorman.cfg
wait_for 60 "the test kernel to say that it is up" grep -q 'lab: up' $log
tr -d '\r' <$log >/tmp/said
cat /tmp/said
grep -q 'test-kernel: xen major 4' /tmp/said ||
    fail "the guest did not reach Xen: a refusal would prove nothing"
for what in 'read of /' 'read of /xenoprof' 'write to /xenoprof'; do
    grep -qx "test-kernel: $what -1" /tmp/said ||
        fail "the guest's $what did not end with EPERM (-1)"
done
must xl destroy doorman
stop_and_check
