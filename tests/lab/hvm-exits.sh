# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: an hvm guest survives 30,000 device-model exits while sampled at 997 Hz
# boot: hvm
# limit: 900
# long: yes

# While an exit waits for the device model, Xen's instruction emulator holds bytes
# for it; reading guest memory through the emulator would add to them, and crash
# the guest.

log=/var/log/xen/guest-exits.log

# The guest says "answers N", of the device, after each thousand reads.
answers() {
    tr -d '\r' <$log | sed -n 's/^test-kernel: answers //p' | tail -n 1
}

reached() {
    [ "$(answers)" -ge "$1" ]
}

wait_for 300 "the guest's first thousand exits" reached 1000
must xenopctl --start --passive-domains=exits --frequency=997
before=$(answers)
wait_for 600 "30,000 exits while sampled" reached $((before + 30000))
status_json /tmp/status
stop_and_check
at_least "samples of the guest" "$(samples /tmp/report 'name == "exits"')" 1000
reached $((before + 30000)) || fail "the guest does not say any more what it said"
enough_entries exits || fail "the guest has fewer than 400 samples in Xen"
at_least "of exits, in thousandths, what it left its processor for" \
    "$(entry_share exits '^exit ioio 0xcfc in$')" 950
before=$(answers)
wait_for 120 "another thousand exits after sampling" reached $((before + 1000))
