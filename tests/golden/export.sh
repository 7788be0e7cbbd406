#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each format of xenopreport --export is opened in the program that it is for, or
# decoded by its public description, and must have the samples and times, by domain,
# mode, function and line, that xenopreport --json has.  tests/export/run.js says how a
# format is added.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=$(cd "${top_builddir:-.}" && pwd)
node=$(command -v node || command -v nodejs || true)
if [ -z "$node" ]; then
    echo "1..0 # SKIP no node: apt-get install nodejs"
    exit 0
fi

# shellcheck source=/dev/null
. "$here/tests/report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
# What ./check --deps has from npm.
npm=${XENOPROF_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/xenoprof}/npm
export PATH="$PATH:$npm/node_modules/.bin"
export LC_ALL=C.UTF-8 TZ=UTC HOME="$scratch" PPROF_TMPDIR="$scratch"

# SESSION|OPTIONS|TYPE
cat >"$scratch/cases" <<END
basic||time
basic|--filter=domain=0|time
basic|--filter=mode=xen|time
basic|--filter=time=2..5|time
basic|--focus=do_xen_version|time
chains||time
callgraph||time
callgraph|--ignore=do_|time
entry||time
lines||time
lines|--filter=domain=1|time
threads||time
origins|--filter=domain=1|time
nameless||time
names||time
spooled||time
cut||time
torn||time
expired||time
numbers-again||time
slowed||time
waits||time
types||time
types||waiting
types||cycles
types||instructions
types|--filter=domain=web|cycles
events||cycles:k
END
for session in $(cut -d '|' -f 1 "$scratch/cases" | sort -u); do
    "$build/tests/golden/make-session" \
        "$here/tests/golden/report/$session.session" "$scratch/$session/"
done
"$node" "$here/tests/export/run.js" "$program" \
    "$here/report/export/formats.def" "$scratch" "$scratch/cases"
