#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each view of sessions in which all names are hostile: escapes, broken UTF-8,
# markup, line ends, 64 KiB.  hostile-names.js says what is looked at.  Skips
# without node.
#
#   hostile-names.sh [NAME...]     of these names of hostile-names-session.js
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/cli
build=$(cd "${top_builddir:-.}" && pwd)
node=$(command -v node || command -v nodejs || true)
if [ -z "$node" ]; then
    echo "1..0 # SKIP no node: apt-get install nodejs"
    exit 0
fi
# shellcheck source=/dev/null
. "$here/../report-program.sh"
unset COLUMNS LINES || true
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
"$node" "$here/hostile-names.js" "$build/tests/golden/make-session" "$program" \
    "$scratch" "$@"
