# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: --status gives no wrong answer while two others read hypfs
# boot: plain
# long: yes

must xenopctl --start
read-hypfs /buildinfo/version/major >/tmp/reader1 &
first=$!
read-hypfs /buildinfo/version/extra >/tmp/reader2 &
second=$!
asked=0
while [ $asked -lt 20 ]; do
    asked=$((asked + 1))
    status_json /tmp/status
    equal "the state, asked for the ${asked}th time" \
        "$(text /tmp/status state)" running
    equal "the sampler" "$(text /tmp/status name)" nmi
done
kill -TERM $first && kill -TERM $second || fail "a reader ended by itself"
wait $first $second
cat /tmp/reader1 /tmp/reader2
stop_and_check
