# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a daemon that stands still loses next to nothing: Xen takes fewer samples, and says so
# boot: main
# usually: debian12
# guests: pv1
# limit: 300

# Smaller rings than usual, so that it does not take long.
must xenopctl --start --passive-domains=pv1 --ring-size=128 --lease=0
hypercall-loop 3600 >/dev/null &
loop=$!
more_samples 50
kill -STOP "$(daemon_pid)"

is_low() {
    [ "$(door_number frequency)" -le 24 ]
}
is_back() {
    [ "$(door_number frequency)" = 97 ]
}
was_low() {
    xenopctl --status |
        grep -q 'was low from .* to .*: xenoprofd did not get to read the rings'
}
wait_for 120 "a quarter of the frequency" is_low
at_least "how often Xen lowered it" "$(door_number lagged)" 2
kill -CONT "$(daemon_pid)"
wait_for 120 "all of the frequency" is_back
wait_for 60 "the daemon to say so" was_low
must xenopctl --status
says 'a reader that lagged lowered it .* and raised it again'
kill $loop
wait $loop || :
stop_and_check
# A ring of that size holds less than a second.
at_most "thousandths of samples lost in full rings" \
    $(($(number /tmp/status ring) * 1000 / $(number /tmp/status made))) 10
equal "samples lost to the daemon" "$(number /tmp/status daemon)" 0
must xenopreport --header --table
says '^slowed +to [0-9]+ Hz from [0-9.]+ s to '
