# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# title: the unit of a fresh install: enabled, sampling, killed, stopped, and there after a boot
# boot: systemd
# long: yes
# limit: 600

. /tests/kit-systemd.sh

unit=xenoprofd.service

# What `make install` leaves, and nothing of an earlier run.
rm -rf /var/lib/xenoprof /run/xenoprof
boot_systemd

must systemctl daemon-reload
must on_host systemd-analyze --man=no verify /usr/lib/systemd/system/$unit
equal "what systemd-analyze says of the unit" "$said" ""
must systemctl enable --now $unit
must systemctl is-enabled $unit
must systemctl is-active $unit
equal "what it reports to systemd" "$(show $unit StatusText)" ready

# Itself small, in what the unit gives.
check_daemon_is_small
equal "the process that systemd looks after" "$(show $unit MainPID)" \
    "$(daemon_line NSpid | awk '{ print $NF }')"
equal "the state folder" "$(stat -c '%U %a' /var/lib/xenoprof)" "root 755"
equal "the sessions' folder" "$(stat -c '%U %a' $sessions)" "xenoprof 700"
equal "its limit of memory" \
    "$(cat $host_cgroup/system.slice/$unit/memory.max)" $((2 << 30))
at_least "its processes that this limit is for" \
    "$(wc -l <$host_cgroup/system.slice/$unit/cgroup.procs)" 2

must xenopctl --check
must xenopctl --start
more_samples 100
# Samples that wait are in memory that is locked.
equal "the memory that it may lock" \
    "$(awk '/^Max locked memory/ { print $5 }' /proc/"$(daemon_pid)"/limits)" unlimited
stop_and_check
must xenopreport --table
says 'Domain-0|dom0'

# dom0's agent is there without a step, and what it says of itself reaches systemd.
must systemctl stop opagent.service
must xenopctl --start
says 'opagent is started'
must systemctl is-active opagent.service
must systemctl stop opagent.service
must xenopctl --stop

# Killed, it comes back by itself, and the session goes on. Nothing is lost where
# no sample waits, for a guest's kernel or for the agent; such samples are
# xenoprofd's own memory.
must xenopctl --start --stacks=xen --no-agent
more_samples 40
must systemctl kill --signal=KILL $unit
wait_for 60 "a second daemon" shows $unit NRestarts 1
wait_for 60 "it to be ready" shows $unit ActiveState active
must journal $unit
says 'going on with the open session'
more_samples 40
stop_and_check
equal "samples lost to the daemon" "$(number /tmp/status daemon)" 0
equal "samples read, and those that Xen wrote to rings" \
    "$(number /tmp/status read)" "$(door_number committed)"
check_daemon_is_small

# Where samples wait, those that a kill cost are counted.
must xenopctl --start
more_samples 40
must systemctl kill --signal=KILL $unit
wait_for 60 "a third daemon" shows $unit NRestarts 2
wait_for 60 "it to be ready" shows $unit ActiveState active
more_samples 40
stop_and_check

# In /tmp a session is where its owner sees it; homes are not for the daemon, which
# says so.
must xenopctl --start --session-dir=/tmp/sessions
more_samples 20
must xenopctl --stop
must xenopreport --table --session-dir=/tmp/sessions
try xenopctl --start --session-dir=/root/sessions
equal "the status of --start with a session in a home" "$status" 14
says "/root/sessions.*Permission denied"

# Stopped, it closes its session and ends well.
must xenopctl --start
more_samples 40
must systemctl stop $unit
equal "how it ended" "$(show $unit Result) $(show $unit ActiveState)" \
    "success inactive"
must not test -d $host_cgroup/system.slice/$unit
must xenopreport --table
equal "sampling in Xen" "$(door_number state)" stopped

# A boot starts it, once Xen's own unit has mounted what it needs.
end_systemd
boot_systemd
equal "the condition that /proc/xen is there" \
    "$(show $unit ConditionResult)" yes
must systemctl is-active $unit
must xenopctl --start
more_samples 40
stop_and_check

# With the other unit the host is sampled from boot on, for ever. The same options
# again are no mistake, others are; its end closes the session.
recording=xenoprof-recording.service
must systemctl enable $recording
must on_host systemd-analyze --man=no verify /usr/lib/systemd/system/$recording
equal "what systemd-analyze says of the other unit" "$said" ""
end_systemd
boot_systemd
must systemctl is-active $recording
more_samples 40
must xenopctl --start --keep=7
says 'goes on since'
try xenopctl --start --frequency=50
at_least "the status of --start with other options" "$status" 1
must xenopreport --table --last=1m
says 'Domain-0|dom0'
must systemctl disable --now $recording
equal "sampling in Xen" "$(door_number state)" stopped
must xenopreport --header
says 'current, closed'

# --shutdown is an end that systemd leaves at that.
must xenopctl --shutdown
wait_for 60 "the end of the daemon" shows $unit ActiveState inactive
equal "how it ended, and its restarts" \
    "$(show $unit Result) $(show $unit NRestarts)" "success 0"
must xenopctl --deinit
end_systemd
