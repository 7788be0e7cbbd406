#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What bench/goals.sh compares is the same work: other profilers' tools find the
# samples in the hottest functions that xenopreport finds.  Who is not installed
# is left out: nothing of xenoprof's is tested then.
set -eu
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
SCALE=500 PAIRS=0 exec "$here/bench/goals.sh" "${top_builddir:-.}" peers
