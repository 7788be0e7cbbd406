# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: two readers of hypfs at once: --status never gives a wrong answer
# boot: plain

must xenopctl --start
read-hypfs /buildinfo/version/major 10 >/tmp/reader1 &
first=$!
read-hypfs /buildinfo/version/extra 10 >/tmp/reader2 &
second=$!
asked=0
while kill -0 $first 2>/dev/null && kill -0 $second 2>/dev/null; do
    status_json /tmp/status
    equal "the state, asked for the ${asked}th time" \
        "$(text /tmp/status state)" running
    equal "the sampler" "$(text /tmp/status name)" nmi
    asked=$((asked + 1))
done
cat /tmp/reader1 /tmp/reader2
at_least "questions" $asked 20
stop_and_check
