# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a 32-bit kernel that is no Linux has its stacks named by its file
# boot: stacks
# limit: 300
# long: yes

guest=test32
chain="^$guest;.*outer_.k.;middle_.k.;leaf_.k. "

named() {
    xenopreport --folded >/tmp/early 2>/dev/null
    [ "$(awk -v chain="$chain" '$0 ~ chain { sum += $NF } END { print sum + 0 }' \
        /tmp/early)" -ge 100 ]
}

must xenopctl --setup
must xenopctl --start --passive-domains=$guest \
    --guest-kernel=$guest:/lab/guests/test32
wait_for 120 "stacks of $guest with names" named
stop_and_check
keep guest-kernel-file
grep -q '"found": "file"' /tmp/report ||
    fail "the report does not say that a file named $guest's kernel"
must xenopreport --folded
echo "$said" | grep "^$guest;.*leaf_.k. " >/tmp/stacks
at_least "stacks of $guest in leaf() that lead to outer(), in thousandths" \
    "$(share /tmp/stacks "$chain")" 950
