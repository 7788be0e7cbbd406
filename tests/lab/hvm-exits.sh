# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: an hvm guest survives 100,000 device-model exits while sampled at 997 Hz
# boot: hvm
# limit: 3600
# long: yes

# While an exit waits for the device model, Xen's instruction emulator holds bytes
# for it; reading guest memory through the emulator would add to them, and crash
# the guest.

log=/var/log/xen/guest-exits.log

# The guest says "rounds N" after each thousand.
thousands() {
    tr -d '\r' <$log | sed -n 's/^test-kernel: rounds //p' | tail -n 1
}

reached() {
    [ "$(thousands)" -ge "$1" ]
}

wait_for 300 "the guest's first thousand exits" reached 1
must xenopctl --start --passive-domains=exits --frequency=997
before=$(thousands)
wait_for 3000 "100,000 exits while sampled" reached $((before + 100))
status_json /tmp/status
stop_and_check
at_least "samples of the guest" "$(samples /tmp/report 'name == "exits"')" 1000
reached $((before + 100)) || fail "the guest does not say any more what it said"
before=$(thousands)
wait_for 120 "another thousand exits after sampling" reached $((before + 1))
