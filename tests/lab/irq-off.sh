# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: 30 ms of Xen with interrupts off at 997 Hz: in the report, or counted
# boot: plain

must xenopctl --setup
make_payload irq-off irq-off 3333333333333333333333333333333333333333 \
    "$(xen_build)"
put_in irq-off
# "path at ffff82d040403000"
path=$(xl dmesg | sed -n 's/.*lab payload: path at \([0-9a-f]*\).*/\1/p' | tail -n 1)
[ -n "$path" ] || fail "the payload does not say where its path is"
start=$(printf '%d' "0x$path")

must xenopctl --start --frequency=997
round=0
while [ $round -lt 40 ]; do
    round=$((round + 1))
    must xenhypfs write /xenoprof-lab-irq-off now
done
stop_and_check

# Its code is less than 256 bytes; Xen's symbols have no name for it.
inside=0
for address in $(rows /tmp/report |
    awk -F'|' '$3 == "xen" && $6 != "-" { print $6 ":" $7 }'); do
    at=$(printf '%d' "${address%:*}")
    [ "$at" -ge "$start" ] && [ "$at" -lt $((start + 256)) ] &&
        inside=$((inside + ${address#*:}))
done
lost=$(number /tmp/status lost)
echo "samples of the path: $inside; lost: $lost"
at_least "samples inside the path, of some $((40 * 30))" $inside 300
at_least "samples of the path, in percent of those and all that was lost" \
    $((inside * 100 / (inside + lost))) 90
equal "losses by cause, together" "$lost" \
    "$(($(number /tmp/status queue) + $(number /tmp/status ring) +
        $(number /tmp/status stopped) + $(number /tmp/status daemon)))"
must xenopctl --shutdown
take_out irq-off
