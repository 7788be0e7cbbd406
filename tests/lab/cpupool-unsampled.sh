# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a pCPU leaves its pool with a pinned guest, and comes back, without the module
# loads: yes
# boot: pool-plain
# limit: 7200
# long: yes

# LAB_ROUNDS=N tests/lab/run ...: N times instead of 100. Xen itself has a race
# there (doc/pool-race.md); a crash is the verdict xen-crash, and the last round that
# was said tells how far it came.
move_pcpu "${rounds:-100}"
