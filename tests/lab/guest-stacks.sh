# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: nearly all stacks of guests' kernels reach a way into the kernel
# boot: names
# limit: 900
# long: yes

guests='zero-pv zero-pvh'

for guest in $guests; do
    must xl sched-credit2 -d "$guest" -c 30
done
# shellcheck disable=SC2086
sample_kernels $guests
more_samples 3000
stop_and_check
must xenopreport --folded --filter="time=$after.."
echo "$said" >/tmp/folded
for guest in $guests; do
    grep "^$guest;.*_\[k\] " /tmp/folded >/tmp/stacks
    # What it does is known: it reads zeroes.
    at_least "stacks of $guest that read zeroes, in thousandths" \
        "$(share /tmp/stacks 'entry_SYSCALL_64[^;]*_.k.;do_syscall_64_.k.;.*ksys_read_.k.;vfs_read_.k.;.*read_(iter_)?zero_.k.')" 250
    at_least "stacks of $guest that begin at a way into the kernel, in thousandths" \
        "$(share /tmp/stacks "^$guest;(entry_|asm_|xen_|ret_from_|secondary_|start_)")" 970
done
