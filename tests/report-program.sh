# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Read by tests that run xenopreport often: $program is the one of the folder $build.

program=$build/report/xenopreport
# libtool leaves a script in its place, which takes longer than the program.
if [ -x "$build/report/.libs/xenopreport" ]; then
    program=$build/report/.libs/xenopreport
    LD_LIBRARY_PATH=$build/libxenoprof/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi
