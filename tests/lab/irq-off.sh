# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: at 997 Hz, 30 ms of Xen with interrupts off are in the report, or counted
# boot: plain
# usually: debian12

must xenopctl --setup
make_payload irq-off irq-off 3333333333333333333333333333333333333333 \
    "$(xen_build)"
put_in irq-off
# "path at ffff82d040403000"; less than 256 bytes of code begin there.
path=$(xl dmesg | sed -n 's/.*lab payload: path at \([0-9a-f]*\)00$/\1/p' |
    tail -n 1)
[ -n "$path" ] || fail "the payload does not say where its path is"

# An emulated dom0 is too slow for stacks at this rate, and losses on the way to
# dom0 are not the question here.
must xenopctl --start --frequency=997 --stacks=none --ring-size=1024
round=0
while [ $round -lt 40 ]; do
    round=$((round + 1))
    must xenhypfs write /xenoprof-lab-irq-off now
done
stop_and_check

# Xen's symbols have no name for the path, so each address is a row.
inside=$(samples /tmp/report 'mode == "xen" && index(address, "0x'"$path"'") == 1')
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
