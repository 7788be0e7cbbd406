#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sessions of which the truth is known: make-truth simulates a host that runs,
# waits, and loses samples, and writes what xenoprofd would write; run.js computes
# what reports of it must say, and compares each view with that.  tests/README.md
# says what is looked at.  Skips without node.
#
#   truth.sh [FIRST [COUNT]]    of these seeds; TRUTH_SEEDS=COUNT does as well
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/truth
build=$(cd "${top_builddir:-.}" && pwd)
first=${1:-0}
count=${2:-${TRUTH_SEEDS:-$((40 / ${TEST_SHARE:-1}))}}
node=$(command -v node || command -v nodejs || true)
if [ -z "$node" ]; then
    echo "1..0 # SKIP no node: apt-get install nodejs"
    exit 0
fi
# shellcheck source=/dev/null
. "$here/../report-program.sh"
export LC_ALL=C.UTF-8
unset COLUMNS || true

scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
"$node" "$here/run.js" "$build/tests/truth/make-truth" "$program" "$scratch" \
    "$first" "$count"
