#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How fast the page of --html is, in a headless Chromium without a GPU, with
# 100,000 call chains and 1 M samples: its size, how long it takes to open, to
# zoom, to search, to select.  Each is done nine times from one browser, and
# the median counts: wall clock from the event until the screen shows what it
# led to, and beside it what of that was work of the page's thread, which does
# not depend on what else the machine does.
#
#   make bench/stack-session && bench/page-speed.sh [BUILD FOLDER]
#
# Exit status 1 beyond 5 MB, 2 s for opening, 100 ms for a zoom or a search.
# STACKS, SAMPLES and CHROMIUM in the environment may say other than 100000,
# 1000000, chromium.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-${top_builddir:-.}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/bench/stack-session" "$work/session" "${STACKS:-100000}" \
    "${SAMPLES:-1000000}"
"$build/report/xenopreport" --session="$work/session" --html="$work/page.html"
node "$here/bench/page-speed.js" "${CHROMIUM:-chromium}" "$work/page.html"
