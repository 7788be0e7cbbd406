#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what bench/goals.table lists, a line for each figure: what it is on this
# machine, the bound that must hold, and the goal; a ! is short of it.
#
#   make goals, or bench/goals.sh [BUILD FOLDER] [--long] [GROUP...] once it is built
#
# Without GROUP all but the groups `long` and `lab`; --long adds `long`.  Seconds
# are of CPU, the kernel's with it, on one core: the least of TURNS (3); a ratio
# is the median of PAIRS (5), which run in turn.  SCALE=100 makes samples and
# stacks a hundredth, to see whether all works, and judges no bound.  PAIRS=0
# prints as TAP whether other tools find in the same samples what we find, and
# measures nothing.  TABLE is another table.
#
# Exit status 1 if a bound is missed or a row fails; the last line says which.  A
# row whose tools are not installed says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${top_builddir:-.} groups=()
[ $# = 0 ] || [ ! -d "$1" ] || { build=$1; shift; }
build=$(cd "$build" && pwd)
usual=(instructions reports peers sessions daemon)
for word; do
    case $word in
    --long) groups+=("${usual[@]}" long) ;;
    *) groups+=("$word") ;;
    esac
done
[ ${#groups[@]} -gt 0 ] || groups=("${usual[@]}")
table=${TABLE:-$here/goals.table} scale=${SCALE:-1} turns=${TURNS:-3} pairs=${PAIRS:-5}
export LC_ALL=C top_builddir=$build LD_LIBRARY_PATH=$build/libxenoprof/.libs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Not by way of the shell script that libtool leaves in the program's place.
program=$build/report/.libs/xenopreport
[ -x "$program" ] || program=$build/report/xenopreport
# shellcheck source=/dev/null
. "$here/goals-take.sh"
# shellcheck source=/dev/null
. "$here/goals-peers.sh"

machine() {
    local virtual compiler
    virtual=$(systemd-detect-virt --vm 2>/dev/null)
    case $virtual in
    none) virtual="no virtual machine" ;;
    qemu) virtual="emulated by QEMU" ;;
    '') grep -qw hypervisor /proc/cpuinfo && virtual="a virtual machine" ;;
    *) virtual="a virtual machine ($virtual)" ;;
    esac
    compiler=$(readelf -p .comment "$program" | sed -n 's/^ *\[ *0\] *//p')
    printf '%s, %d CPUs, %s, load %s\nLinux %s, %s, %s\n' \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed 1q)" \
        "$(nproc)" "${virtual:-unknown whether virtual}" \
        "$(cut -d' ' -f1 /proc/loadavg)" "$(uname -r)" \
        "${compiler:-unknown compiler}" \
        "$(sed -n 's/^CFLAGS = //p' "$build/Makefile")"
    [ "$scale" = 1 ] ||
        echo "SCALE=$scale: these are no figures, and no bound is judged"
}

number=0 bounds=0 goals=0 met=0 bad=()

# holds FIGURE SIGN LIMIT
holds() {
    awk -v now="$1" -v sign="$2" -v limit="$3" 'BEGIN {
        exit sign == "<=" ? now > limit : now < limit
    }'
}

# missed MEASURE
missed() {
    [ ${#bad[@]} -gt 0 ] && [ "${bad[-1]}" = "$1" ] || bad+=("$1")
}

# figure TITLE FIGURE SPECIFICATION: prints one line of the table.
figure() {
    local unit=$3 sign='' bound='' goal='' said=
    if [[ $3 =~ ^([^<>]+)([<>]=)([0-9.]+)(/([0-9.]+))?$ ]]; then
        unit=${BASH_REMATCH[1]} sign=${BASH_REMATCH[2]}
        bound=${BASH_REMATCH[3]} goal=${BASH_REMATCH[5]}
        bounds=$((bounds + 1))
        [ "$scale" != 1 ] || holds "$2" "$sign" "$bound" ||
            { said=MISSED; missed "$measure"; }
    fi
    if [ -n "$goal" ]; then
        goals=$((goals + 1))
        if holds "$2" "$sign" "$goal"; then met=$((met + 1))
        else said="!  $said"; fi
    fi
    printf '%-49s %9s %-6s %9s %7s %s\n' "$1" "$2" "$unit" \
        "$sign$bound" "$goal" "$said$aside"
}

# row MEASURE SPECIFICATIONS HOW: takes its figures, and prints them.
row() {
    local measure=$1 title=$1 specifications i
    read -r -a specifications <<<"$2"
    local status=0
    figures=() absent='' note='' aside=''
    eval "$3" 2>"$work/errors" </dev/null || status=$?
    if [ "${#figures[@]}" -ge "${#specifications[@]}" ]; then
        for ((i = 0; i < ${#specifications[@]}; i++)); do
            figure "$title" "${figures[i]}" "${specifications[i]}"
            title='' aside=''
        done
        [ -z "$note" ] || echo "  $note"
    fi
    if [ $status = 0 ] && [ -z "$title" ]; then
        return
    elif [ -n "$absent" ]; then
        printf '%-49s %9s\n' "$1" "$absent"
    else
        printf '%-49s %9s\n' "$title" failed
        tail -n 3 "$work/errors" | sed 's/^/    /'
        missed "$1"
    fi
}

# The same, as TAP, if it has an answer.
answer() {
    figures=() absent='' note=''
    if eval "$3" 2>"$work/errors" </dev/null; then
        number=$((number + 1))
        echo "ok $number - $1"
    elif [ -n "$absent" ]; then
        echo "# $1: left out, $absent"
    else
        number=$((number + 1))
        missed "$1"
        echo "not ok $number - $1"
        sed 's/^/# /' "$work/errors"
    fi
}

# rows FUNCTION: calls it with each row of the groups that are wanted.
rows() {
    local group='' measure specifications how
    while IFS='|' read -r measure specifications how; do
        case $measure in
        '' | '#'*) continue ;;
        '== '*) group=${measure#== } ;;
        esac
        case " ${groups[*]} " in *" $group "*) ;; *) continue ;; esac
        if [ -z "$how" ]; then
            [ "$1" = answer ] || printf '\n%s\n' "$group"
        else
            "$1" "${measure%"${measure##*[! ]}"}" "$specifications" "$how"
        fi
    done <"$table"
}

for group in "${groups[@]}"; do
    grep -qx "== $group" "$table" ||
        { echo "goals.sh: the table has no group '$group'" >&2; exit 2; }
done
if [ "$pairs" = 0 ]; then
    rows answer
    echo "1..$number"
    [ ${#bad[@]} = 0 ]
    exit
fi
machine
printf '\n%-49s %9s %-6s %9s %7s\n' "" figure "" bound goal
rows row
printf '\n%d of %d goals are met.  ' $met $goals
if [ ${#bad[@]} = 0 ] && [ "$scale" = 1 ]; then
    echo "All $bounds bounds hold."
elif [ ${#bad[@]} = 0 ]; then
    echo "No bound was judged."
else
    printf -v list '%s; ' "${bad[@]}"
    echo "Missed: ${list%; }."
    exit 1
fi
