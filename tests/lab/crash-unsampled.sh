# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a crash by debug key C without the module runs the crash image
# loads: yes
# boot: crash-plain
# ends: lab: the crash image runs
# long: yes

must crash-image
hypercall-loop 300 >/dev/null &
sleep 5
# There is no way back from this.
xl debug-keys C
sleep 60
fail "the host lives on after debug key C"
