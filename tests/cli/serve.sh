#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# xenopreport --serve, by serve-client.py: whom it answers, what it reads when, and how
# it ends.  Skips without python3.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/cli
build=$(cd "${top_builddir:-.}" && pwd)
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3: apt-get install python3"
    exit 0
fi
# shellcheck source=/dev/null
. "$here/../report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
python3 "$here/serve-client.py" "$program" "$build/tests/golden/make-session" "$scratch"
