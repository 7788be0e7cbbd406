# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# How the lab speaks, and the exit statuses that are its own.

LAB_ERROR=125        # the lab itself failed: bad options, no cache, no QEMU
LAB_HANG=124         # no sign of life from dom0, or it never powered off
LAB_XEN_CRASH=123    # Xen panicked
LAB_DOM0_PANIC=122   # dom0's kernel panicked
LAB_EMULATOR=121     # QEMU's SVM emulation put Xen's state into a guest
LAB_TIMEOUT=120      # dom0 lives, but the script did not end in time
LAB_NOT_UP=119       # a guest did not come up, so the script was not run
LAB_GUEST_LOST=118   # a guest crashed, and the script left it so
LAB_ABSENT=117       # the archive does not have that Xen

say() {
    echo "lab: $*" >&2
}

# die SENTENCE: ends the lab (a subshell too: callers use 'set -e').
die() {
    say "$*"
    exit "$LAB_ERROR"
}

# absent SENTENCE: the same, where nothing is wrong with the lab.
absent() {
    say "$*"
    exit "$LAB_ABSENT"
}

need() {
    command -v "$1" >/dev/null ||
        die "$1 is missing; install the Debian package '${2:-$1}'."
}

# For the ERR trap: whatever the lab did not expect is an error of the lab,
# never taken for the script's status.
unexpected() {
    [ "$1" != "$LAB_ABSENT" ] || exit "$1"
    [ "$1" = "$LAB_ERROR" ] || say "a step failed with $1 at $2:$3."
    exit "$LAB_ERROR"
}
