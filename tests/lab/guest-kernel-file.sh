# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a file names the stacks of a 32-bit kernel other than Linux
# boot: kernel32
# limit: 300
# long: yes

guest=test32
chain="^$guest;.*outer_.k.;middle_.k.;leaf_.k. "

# Samples that came before the file was read have a name, but no stack.
stacks_with_names() {
    folded --filter="time=$after.." >/tmp/folded
    grep "^$guest;.*leaf_.k. " /tmp/folded >/tmp/stacks
}

named() {
    stacks_with_names
    [ "$(awk -v chain="$chain" '$0 ~ chain { sum += $NF } END { print sum + 0 }' \
        /tmp/stacks)" -ge "$wanted" ]
}

must xenopctl --setup
began=$(date +%s)
must xenopctl --start --passive-domains=$guest \
    --guest-kernel=$guest:/lab/guests/test32
after=0 wanted=1
wait_for 120 "a stack of $guest with names" named
after=$(($(date +%s) - began + 1)) wanted=100
wait_for 120 "100 stacks of $guest with names" named
stop_and_check
keep guest-kernel-file
grep -q '"found": "file"' /tmp/report ||
    fail "the report does not say that a file named $guest's kernel"
stacks_with_names
at_least "stacks of $guest in leaf() that lead to outer(), in thousandths" \
    "$(share /tmp/stacks "$chain")" 950
