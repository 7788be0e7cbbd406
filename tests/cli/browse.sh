#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xenopreport --browse on a terminal, which browse-terminal.py is; browse-keys.py says
# what is looked at.  Skips without python3.
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
golden=$here/../golden/report
"$build/tests/golden/make-session" "$golden/stacks.session" "$scratch/session"
"$build/tests/golden/make-session" "$golden/names.session" "$scratch/hostile"
"$build/tests/golden/make-session" "$golden/ranks.session" "$scratch/verdict"
"$build/bench/stack-session" "$scratch/long" 2000 400000
python3 "$here/browse-keys.py" "$program" "$scratch/session" "$scratch/hostile" \
    "$scratch/verdict" "$scratch/long"
