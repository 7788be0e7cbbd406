#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How large and how fast the page of --html is, in a headless Chromium without a
# GPU, with 100,000 call chains and 1 M samples: opening, a zoom, a search, a
# selection.  Each is done nine times in one browser, and the median counts: wall
# clock from the event until the screen shows its effect.  Beside it stands the
# work of the page's thread, which hardly depends on other work of the machine.
#
#   make bench/stack-session && bench/page-speed.sh [BUILD FOLDER]
#
# Exit status 1 beyond 5 MB, 2 s for opening, 100 ms for a zoom, a search, or the
# choice of modes, a domain, a time, or one that is compared with another, another shape of
# the flame graph, or the choice of modes with that turned round, or with the tree of text
# or the details of a function open, until that has followed.
# STACKS, SAMPLES and CHROMIUM in the environment replace 100000, 1000000 and
# chromium.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-${top_builddir:-.}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/bench/stack-session" "$work/session" "${STACKS:-100000}" \
    "${SAMPLES:-1000000}"
"$build/report/xenopreport" --session="$work/session" --html="$work/page.html"
node "$here/bench/page-speed.js" "${CHROMIUM:-chromium}" "$work/page.html"
