# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: nearly all stacks of guests' kernels reach an entry of the kernel
# boot: stacks
# limit: 900
# long: yes

guests='load-pv load-pvh'

# thousandths FILE CAUSES: the share of whole stacks, among these and the stacks
# that ended by one of CAUSES. Samples from before the kernel was found do not
# count: their stacks were not walked.
thousandths() {
    awk -v causes="$2" '
        $1 == "root" { root = $2 }
        index(" " causes " ", " " $1 " ") { left += $2 }
        END { printf "%d\n", root ? root * 1000 / (root + left) : 0 }' "$1"
}

# check_ends GUEST LOAD
check_ends() {
    kernel_ends "$1" /tmp/report >/tmp/ends
    echo "$1, $2: $(tr '\n' ' ' </tmp/ends)"
    at_least "whole stacks of $1 at $2" \
        "$(awk '$1 == "root" { print $2 }' /tmp/ends)" 200
    at_least "of $1 at $2, stacks that fit and are whole, in thousandths" \
        "$(thousandths /tmp/ends 'rule nonsense untold stacks')" 995
    at_least "of $1 at $2, stacks that are whole, in thousandths" \
        "$(thousandths /tmp/ends 'rule nonsense untold stacks window page guest')" 970
}

# enough_whole: every guest has stacks that reach an entry of its kernel.
enough_whole() {
    local guest
    folded >/tmp/early
    for guest in $guests; do
        [ "$(whole_stacks "$guest" /tmp/early)" -ge 250 ] || return 1
    done
}

list=$(echo "$guests" | tr ' ' ',')
must xenopctl --setup
for guest in $guests; do
    must xl sched-credit2 -d "$guest" -c 30
done
bad=
for load in syscalls interrupts deep compat; do
    for guest in $guests; do
        work_at "$guest" $load
    done
    must xenopctl --start --passive-domains="$list"
    wait_for 240 "whole stacks of both guests at $load" enough_whole
    stop_and_check
    keep "guest-stacks-$load"
    for guest in $guests; do
        (check_ends "$guest" $load) || bad="$bad $guest/$load"
    done
done
[ -z "$bad" ] || fail "too few stacks are whole:$bad"

# It is known what the loads do.
must xenopreport --session-dir="$OUT/guest-stacks-compat" --folded
for guest in $guests; do
    echo "$said" | grep "^$guest;" >/tmp/stacks
    entry=';(asm_int80_emulation|entry_INT80_compat)_.k.;'
    at_least "thousandths of $guest's that are a 32-bit process's system calls" \
        "$(share /tmp/stacks "$entry")" 300
    at_least "thousandths of $guest's that are its reading" \
        "$(share /tmp/stacks "$entry.*vfs_read_.k.")" 50
done
must xenopreport --session-dir="$OUT/guest-stacks-deep" --folded
for guest in $guests; do
    echo "$said" | grep "^$guest;" >/tmp/stacks
    at_least "of $guest, stacks through a page fault in a system call" \
        "$(share /tmp/stacks 'entry_SYSCALL_64[^;]*_.k.;do_syscall_64_.k.;.*ksys_read_.k.;vfs_read_.k.;.*exc_page_fault_.k.')" 1
    at_least "of $guest, stacks through an epoll in an epoll" \
        "$(share /tmp/stacks 'ep_poll_callback_.k.;.*ep_poll_callback_.k.')" 1
done
