# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Read by tests that run xenopreport often: $program is the one that XENOPREPORT names,
# else that of the folder $build.

program=${XENOPREPORT:-$build/report/xenopreport}
# libtool leaves a script in its place, which takes longer than the program.
if [ -z "${XENOPREPORT-}" ] && [ -x "$build/report/.libs/xenopreport" ]; then
    program=$build/report/.libs/xenopreport
    LD_LIBRARY_PATH=$build/libxenoprof/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi

# Makes a folder, and prints its path: in TMPDIR, or in memory if that has room (in
# containers it may not). Each block of a session is written and waited for.
scratch_folder() {
    place=/tmp
    room=$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $4 + 0 }')
    if [ -w /dev/shm ] && [ "$room" -ge 262144 ]; then
        place=/dev/shm
    fi
    mktemp -d "${TMPDIR:-$place}/xenoprof.XXXXXX"
}
