#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How large and how fast the page of --html is, in a headless Chromium without a
# GPU, with 100,000 call chains and 1 M samples: opening, a zoom, a search, a
# selection.  Each is done twenty times in one browser, opening nine: wall clock from
# the event until the screen shows its effect, and beside it the work of the page's
# thread, which depends less on other work of the machine.  Before the first of them the
# page has 2 s, as with somebody who has a look at it.
#
#   make bench/stack-session && bench/page-speed.sh [BUILD FOLDER]
#
# Exit status 1, and the last line says of what, beyond 4 MB, 500 ms of work for
# opening (median), or 50 ms (95 %) for a zoom, a search, or the choice of modes, a
# domain, a time, or one that is compared with another, another shape of the flame
# graph, or the choice of modes with that turned round, or with the tree of text or the
# details of a function open, until that has followed.
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
