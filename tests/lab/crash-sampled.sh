# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a crash by debug key C while sampling runs the crash image
# boot: crash
# ends: lab: the crash image runs
# long: yes

must crash-image
must xenopctl --start --frequency=997 --stacks=xen
hypercall-loop 300 >/dev/null &
more_samples 500
# There is no way back from this.
xl debug-keys C
sleep 60
fail "the host lives on after debug key C"
