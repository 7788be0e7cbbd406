#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What xenopreport does on a terminal, which script(1) is here: the pager,
# colours, the size, and --live with keys that were typed ahead.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=${top_builddir:-$(pwd)}
if ! command -v script >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no script(1)"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$build/tests/golden/make-session" "$here/stacks.session" "$scratch/session"
report="$build/report/xenopreport --session=$scratch/session"
number=0

# on_terminal ENVIRONMENT OPTIONS: prints what the screen shows, and the status.
# Keys come from standard input.
on_terminal() {
    status=0
    env -u LESS -u NO_COLOR -u COLUMNS -u LINES LC_ALL=C.UTF-8 TERM=xterm PAGER=cat \
        $1 script -qec "$report $2" /dev/null >"$scratch/screen" ||
        status=$?
    tr -d '\r' <"$scratch/screen" >"$scratch/lines"
    printf '\nstatus %s\n' "$status" >>"$scratch/lines"
}

# has NAME PATTERN: a line of the screen matches; hasnt: none does.
has() {
    number=$((number + 1))
    if grep -qE -- "$2" "$scratch/lines"; then
        echo "ok $number - $1"
        return
    fi
    echo "not ok $number - $1"
    echo "# no line matches $2:"
    cat -v "$scratch/lines" | sed 's/^/# /' | head -n 40
}
hasnt() {
    number=$((number + 1))
    if ! grep -qE -- "$2" "$scratch/lines"; then
        echo "ok $number - $1"
        return
    fi
    echo "not ok $number - $1"
    echo "# this matches $2:"
    grep -nE -- "$2" "$scratch/lines" | cat -v | sed 's/^/# /' | head -n 10
}

escape=$(printf '\033')

echo '#!/bin/sh
sed "s/^/paged:/"
echo "LESS=$LESS"' >"$scratch/pager"
chmod +x "$scratch/pager"
on_terminal "PAGER=$scratch/pager" --callgraph </dev/null
has "the pager gets the report" '^paged:samples   840 made'
has "the pager gets it to the end" '^paged:.*other'
has "less would end by itself" '^LESS=FRX'
has "a pager's report is a success" '^status 0'
on_terminal "PAGER=$scratch/pager LESS=M" --callgraph </dev/null
has "LESS is the user's" '^LESS=M'
on_terminal "PAGER=$scratch/pager" "--callgraph --no-pager" </dev/null
hasnt "--no-pager" '^paged:'
has "--no-pager writes the report" '^samples   840 made'
on_terminal "PAGER=" --callgraph </dev/null
has "with an empty PAGER there is no pager" '^samples   840 made'
on_terminal "PAGER=$scratch/none-such" --callgraph </dev/null
has "without the pager the report is there" '^samples   840 made'
on_terminal "PAGER=true" "--json" </dev/null
has "leaving the pager early is not a failure" '^status 0'

on_terminal "" --callgraph </dev/null
has "colours on a terminal" "$escape\[36mvfs_read"
on_terminal "NO_COLOR=1" --callgraph </dev/null
hasnt "NO_COLOR" "$escape"
on_terminal "TERM=dumb" --callgraph </dev/null
hasnt "no colours on a dumb terminal" "$escape"
on_terminal "NO_COLOR=1" "--callgraph --color=always" </dev/null
has "--color=always" "$escape\[36mvfs_read"
on_terminal "COLUMNS=40" "--callgraph --color=never" </dev/null
has "COLUMNS" 'entry\.\.'
on_terminal "COLUMNS=40" "--callgraph --color=never --width=100" </dev/null
hasnt "--width is before COLUMNS" 'entry\.\.'

# The terminal is as large as stty makes it.
report_of_all="$report"
report="stty rows 13 cols 60; $report_of_all"
on_terminal "" "--color=never --no-pager" </dev/null
has "the first screen is as wide as the terminal" '^percent  .{32}domain$'
hasnt "and as high, as far as it can be" '^ .*  acpi_processor_idle$'
report="stty rows 60 cols 60; $report_of_all"
on_terminal "" "--color=never --no-pager" </dev/null
has "more lines have more functions" '^ .*  acpi_processor_idle$'
report=$report_of_all

printf 'hhsq' | on_terminal "" --live
has "--live shows the session" 'closed    session, 10\.000 s; the last 10 s'
has "--live shows losses" 'samples   840 read, 0 lost'
has "--live shows why Xen ran" '^xen ran   [0-9.]+%: '
has "--live shows functions" '300  xen +copy_to_guest_ll'
has "--live has a page of help" 'freeze the page'
has "--live sorts" 'by samples'
has "--live gives the screen back" "$escape\[\?1049l"
has "--live ends well" '^status 0'

echo "1..$number"
