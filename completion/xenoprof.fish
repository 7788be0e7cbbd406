# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish: the options that --help lists, with what it says of them.
set -l program (string replace -r '.*/(.*)\.fish' '$1' (status filename))

$program --help 2>/dev/null | while read -l line
    string match -rq -- '^(-(?<letter>.), )?--(?<name>[a-z-]+)(?<value>=\S+)?(\[\S+\])?\s*(?<what>.*)' (string trim -- $line)
    or continue
    set -l row -c $program -l $name -d "$what"
    test -n "$letter"; and set row $row -s $letter
    test -n "$value"; and set row $row -r
    complete $row
end
