# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a pCPU leaves its pool with a pinned guest, and comes back, while sampling
# boot: pool
# limit: 7200
# long: yes

# LAB_ROUNDS=N tests/lab/run ...: N times instead of 100. Xen itself has a race
# there (doc/pool-race.md); a crash is the verdict xen-crash, and the last round that
# was said tells how far it came.
must xenopctl --start --frequency=50 --stacks=xen
more_samples 50
move_pcpu "${rounds:-100}"
stop_and_check
