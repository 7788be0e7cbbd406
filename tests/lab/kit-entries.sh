# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Why guests entered Xen, by their samples in Xen.

# entries GUEST: 'SAMPLES ENTRY' lines of its samples in Xen; '-': not known.
entries() {
    awk -v guest="\"domain_name\": \"$1\"" '
        index($0, guest) && /"samples":/ {
            entry = "-"
            if (match($0, /"entry": "[^"]*"/))
                entry = substr($0, RSTART + 10, RLENGTH - 11)
            match($0, /"samples": [0-9]+/)
            sum[entry] += substr($0, RSTART + 11, RLENGTH - 11)
        }
        END { for (entry in sum) print sum[entry], entry }' /tmp/entries |
        sort -rn
}

# entry_share GUEST PATTERN [AMONG]: of its samples with an entry that matches
# AMONG, those with one that matches PATTERN. What the profiler itself costs does
# not count.
entry_share() {
    entries "$1" | awk -v pattern="$2" -v among="${3:-.}" '
        { count = $1; sub(/^[0-9]+ /, "") }
        $0 == "-" || $0 == "profiler" || $0 !~ among { next }
        { all += count }
        $0 ~ pattern { found += count }
        END { printf "%d\n", all ? found * 1000 / all : 0 }'
}

# entries_known GUEST: thousandths of its samples in Xen whose entry is known.
entries_known() {
    entries "$1" | awk '
        { all += $1 }
        $2 != "-" { known += $1 }
        END { printf "%d\n", all ? known * 1000 / all : 0 }'
}

# let_rest GUEST: pauses one that is called held-*, once; the others need the pCPU.
let_rest() {
    case "$1 $let_rest" in
    held-*" $1 "*) ;;
    held-*) xl pause "$1" && let_rest="$let_rest $1 " ;;
    esac
}

# enough_entries GUEST...: each has 400 samples in Xen, or $entries_wanted; all are
# in /tmp/entries.
enough_entries() {
    local guest lacking=
    report_json /tmp/entries --sort=domain,entry --filter=mode=xen
    for guest; do
        if [ "$(entries "$guest" | awk '{ sum += $1 } END { print sum + 0 }')" -ge \
            "${entries_wanted:-400}" ]; then
            let_rest "$guest"
        else
            lacking=yes
        fi
    done
    [ -z "$lacking" ]
}

# sample_entries GUEST...: samples them, and says what it found.
sample_entries() {
    local guest list
    list=$(echo "$*" | tr ' ' ',')
    must xenopctl --start --passive-domains="$list" --frequency=397 --stacks=xen
    wait_for 600 "enough samples in Xen of each guest" enough_entries "$@"
    stop_and_check
    enough_entries "$@"
    for guest; do
        echo "$guest: $(entries "$guest" | tr '\n' ',')"
    done
}
