# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a file names the stacks of kernels other than Linux, of 32 and 64 bits
# boot: kernel32
# limit: 400
# long: yes

# Samples that came before the file was read have a name, but no stack.
stacks_with_names() {
    folded --filter="time=$after.." >/tmp/folded
    grep "^$1;.*leaf_.k. " /tmp/folded >"/tmp/stacks-$1"
}

# named GUEST NUMBER: so many samples of its leaf() lead to outer().
named() {
    stacks_with_names "$1"
    [ "$(awk -v chain="^$1;$chain" '$0 ~ chain { sum += $NF } END { print sum + 0 }' \
        "/tmp/stacks-$1")" -ge "$2" ]
}

chain='.*outer_.k.;middle_.k.;leaf_.k. '
must xenopctl --setup
began=$(date +%s)
must xenopctl --start --passive-domains=test32,test64 \
    --guest-kernel=test32:/lab/guests/test32 \
    --guest-kernel=test64:/lab/guests/test64
after=0
wait_for 120 "a stack of test32 with names" named test32 1
wait_for 120 "a stack of test64 with names" named test64 1
after=$(($(date +%s) - began + 1))
wait_for 120 "100 stacks of test32 with names" named test32 100
wait_for 120 "100 stacks of test64 with names" named test64 100
stop_and_check
keep guest-kernel-file
for guest in test32 test64; do
    stacks_with_names $guest
    at_least "stacks of $guest in leaf() that lead to outer(), in thousandths" \
        "$(share /tmp/stacks-$guest "^$guest;$chain")" 950
done
# test32 by frame pointers, test64 by what its compiler wrote into the file.
for way in null '"cfi"'; do
    grep -q "\"orc_layout\": $way.* \"found\": \"file\"" /tmp/report ||
        fail "no kernel from a file has the layout $way"
done
