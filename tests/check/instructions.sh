# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# What samples take in Xen and in xenoprofd, in instructions: the first group of
# bench/goals.table.

count_calls() {
    make -s -C build-gcc -j "$jobs" bench &&
        bench/goals.sh build-gcc instructions
}

# In the background: valgrind uses one processor.
start_instructions() {
    note instructions count_calls &
    instructions=$!
}

check_instructions() {
    say "instructions"
    wait "$instructions"
    took "counted" instructions
    case_of "instructions are within their bounds" noted instructions
}
