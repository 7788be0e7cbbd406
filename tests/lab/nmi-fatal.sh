# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a host that stops at an NMI of nobody's: the timer samples, and NMIs are refused
# boot: fatal
# long: yes

# XenServer and XCP-ng build both in: nmi=fatal, and the watchdog. An NMI that
# leaks ends this host, and the scenario with the verdict xen-crash.
must xenopctl --check
says 'unknown NMIs +note .*fatal on this host'
says 'NMI watchdog +note '
must xenopctl --setup
says 'note: .*an NMI that nobody claims stops this host'
refused 9 'an NMI that nobody claims stops this host' xenopctl --start --sampler=nmi
# A word for something else is no word for that.
must xenopctl --start --force=periods --frequency=997 --stacks=xen --passive-domains=all
says 'timer is the sampler, since an NMI that nobody claims stops this host'
more_samples 1000
stop_and_check
equal "the sampler" "$(text /tmp/status name)" timer
xenhypfs cat /xenoprof/status
must xenopctl --check
says 'unknown NMIs +note .*fatal on this host'
must xenopctl --deinit
