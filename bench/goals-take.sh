# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# How bench/goals.sh takes the figures of bench/goals.table.  Each function sets
# $figures, and maybe $note, or $aside of the first; or returns false, with $absent
# if something that it needs is not installed.

# needs PROGRAM...: returns false if one is not there.
needs() {
    local each
    for each; do
        command -v "$each" >/dev/null || { absent="no ${each##*/}"; return 1; }
    done
}

# scaled NUMBER: of samples, stacks or turns.
scaled() { echo $(($1 / scale)); }

# make_data NAME FILE: samples as a session, or as NAME.FORM as another tool's file.
make_data() {
    case $1 in
    same1.perf)
        data same1 && "$program" --session="$data" --export=perf:"$2" ;;
    *.text) data "${1%.text}.perf" && perf_script "$data" >"$2" ;;
    grow1.*) "$build/bench/peers" "${1#*.}" "$2" "$(scaled 1000000)" ;;
    grow1) "$build/bench/peers" session "$2" "$(scaled 1000000)" ;;
    same*)
        "$build/bench/stack-session" "$2" "$(scaled 100000)" \
            "$(scaled "${1#same}000000")" ;;
    new2.5) "$build/bench/session-size" "$2" 997 "$(scaled 1200)" ;;
    new26) "$build/bench/session-size" "$2" 997 "$(scaled 12600)" ;;
    hz*) "$build/bench/session-size" "$2" "${1#hz}" 60 ;;
    minute) "$build/bench/session-size" "$2" 19 60 large ;;
    hour) "$build/bench/session-size" "$2" 19 "$(scaled 3600)" large ;;
    esac >"$work/said.$1" 2>&1 || { cat "$work/said.$1" >&2; return 1; }
}

# data NAME: sets $data to its path; it is made if it was not there.
data() {
    local path=$work/data.$1
    [ -e "$path" ] || make_data "$1" "$path" || return
    data=$path
}

# cost COMMAND...: adds its time and memory to $work/steps.
cost() { "$build/bench/run-cost" "$work/steps" "$@"; }

megabytes() { awk -v kb="$1" 'BEGIN { printf "%.0f", kb * 1024 / 1e6 }'; }

size_of() { find "$1" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }'; }

# view DATA OPTION...: s, MB, MB of the file @ that it writes.
view() {
    local turn
    data "$1" || return
    shift
    rm -f "$work/steps"
    for ((turn = 0; turn < turns; turn++)); do
        cost taskset -c 0 "$program" --threads=1 --memory=8G \
            --session="$data" "${@//@/$work/written}" >"$work/out" || return
    done
    read -r -a figures < <(sort -n "$work/steps" | awk '
        NR == 1 { us = $1 } $2 > kb { kb = $2 }
        END { printf "%.2f %.0f\n", us / 1e6, kb * 1024 / 1e6 }')
    [ ! -e "$work/written" ] ||
        figures+=("$(size_of "$work/written" | awk '{ printf "%.1f", $1 / 1e6 }')")
    rm -rf "$work/written"
}

# Adds up what callgrind counted, in one file.
counted() { awk '/^(summary|totals):/ { total = $2 } END { printf "%d\n", total }' "$1"; }

callgrind() { # FILE COMMAND...
    needs valgrind &&
        valgrind -q --tool=callgrind --callgrind-out-file="$@" >"$work/out" 2>&1 ||
        { tail -n 3 "$work/out" >&2; return 1; }
}

# more FEW MANY MILLIONS OPTION...: instructions of a sample more.
more() {
    local each instructions=() few=$1 many=$2 millions=$3
    shift 3
    for each in "$few" "$many"; do
        data "$each" && callgrind "$work/counts" "$program" --threads=1 \
            --session="$data" "$@" || return
        instructions+=("$(counted "$work/counts")")
    done
    figures=($(((instructions[1] - instructions[0]) / $(scaled "${millions}000000"))))
}

# wall COMMAND...: milliseconds by the clock, the least of seven turns.
wall() {
    local from turn
    for turn in 1 2 3 4 5 6 7; do
        from=$(date +%s%N)
        "$@" >"$work/out" || return
        echo $((($(date +%s%N) - from) / 1000000))
    done | sort -n | head -n 1
}

# cores DATA OPTION...: what two cores take, of one core's time by the clock.
cores() {
    local session one two
    [ "$(nproc)" -ge 2 ] || { absent="1 CPU"; return 1; }
    data "$1" || return
    session=$data
    shift
    one=$(wall "$program" --session="$session" --threads=1 "$@")
    two=$(wall taskset -c 0,1 "$program" --session="$session" "$@")
    figures=("$(awk -v a="$two" -v b="$one" 'BEGIN { printf "%.2f", a / b }')")
}

# made DATA: bytes a sample, steps that a reader takes a byte, MB of the writer.
made() {
    data "$1" || return
    read -r -a figures < <(awk '
        /^the writer/ { kb = $4 }
        NF == 5 && $1 ~ /^[0-9]/ { bytes = $4; steps = $5 }
        END { printf "%s %s %.0f\n", bytes, steps, kb * 1024 / 1e6 }' \
        "$work/said.$1")
}

# What of bench/sample-cost's stands still while it is counted: a software PMU's
# registers take many instructions, where a processor's take one each.
registers="--toggle-collect=port_msr_read --toggle-collect=port_msr_write
    --toggle-collect=port_pmi_unmask"

# quantiles KIND FUNCTION: sets $median and $high to instructions of a call.
quantiles() {
    local name=sample-cost count=1000 still='' calls=$work/calls.$1.$2
    case $1 in
    pages) name=page-cost ;;
    pv | pvh) name=fetch-cost ;;
    run | rest) count=3000 ;; # upkeep is not at each tick
    intel | amd | ibs) still=$registers ;;
    esac
    # shellcheck disable=SC2086
    [ -e "$calls" ] || callgrind "$work/counts" --combine-dumps=yes \
        --collect-atstart=no --toggle-collect="$2" --dump-after="$2" $still \
        "$build/bench/$name" "$1" $count || return
    [ -e "$calls" ] || awk '/^totals:/ && $2 { print $2 }' "$work/counts" |
        sort -n >"$calls"
    read -r count median high < <(awk '{ calls[NR] = $1 } END {
        print NR, calls[int((NR + 1) / 2)], calls[int((NR * 99 + 99) / 100)]
    }' "$calls")
    [ "$count" -ge 1000 ] || { echo "only $count calls of $2" >&2; return 1; }
}

# calls KIND FUNCTION [PARTS]: the 99th percentile of a call's instructions, or of
# a part's.
calls() {
    quantiles "$1" "$2" || return
    figures=($((high / ${3:-1})))
    [ "$median" = "$high" ] || aside="median $((median / ${3:-1}))"
}

# medians KIND FUNCTION...: their sum.
medians() {
    local each sum=0
    for each in "${@:2}"; do
        quantiles "$1" "$each" || return
        sum=$((sum + median))
    done
    figures=("$sum")
}

# Instructions of a walk of twelve frames, and bytes of 450,000 rows.
walk() {
    callgrind "$work/counts" --collect-atstart=no --toggle-collect=guest_unwind \
        "$build/bench/guest-unwind" 1000 || return
    figures=($(($(counted "$work/counts") / 1000)) "$(cut -d' ' -f1 "$work/out")")
}

# Instructions to walk a frame of bash, at work, by rows: 200 stacks, each walked
# 19 times; user-stacks.sh does it to other programs.
frames() {
    needs valgrind || return
    "$here/user-stacks.sh" "$build" >"$work/out" || return
    read -r -a figures < <(awk '/^instructions/ { print $5 }' "$work/out")
}

# drained known|new: instructions to store a sample, where the chains are 64, or
# ever new ones.  The walker's walk is a stub there; walk() counts that, and of rows
# that the table does not remember.  Valgrind counts each byte that "rep stosb" clears
# as an instruction, so the C library is to clear long pieces by vectors.
drained() {
    local daemon=0 walker=0 file samples=4000 walk=1900
    needs "$build/bench/drain-cost" || return
    rm -rf "$work/drain" "$work"/counts.*
    GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1073741824 callgrind "$work/counts.%p" --collect-atstart=no \
        --toggle-collect=store_samples \
        "$build/bench/drain-cost" $samples "$work/drain" "${1#known}" || return
    # The walker is forked where counting is on, so all of it is counted.
    for file in "$work"/counts.*; do
        if grep -q walker_add "$file"; then
            daemon=$(($(counted "$file") / samples))
        else
            walker=$((walker + $(counted "$file") / samples))
        fi
    done
    figures=($((daemon + walker + walk)))
    note="xenoprofd $daemon, its walker $walker and a walk $walk"
}

# drain known|new: us of CPU of the same.
drain() {
    local walk
    needs "$build/bench/drain-cost" || return
    rm -rf "$work/drain"
    "$build/bench/drain-cost" "$(scaled 220000)" "$work/drain" "${1#known}" \
        >"$work/out" && walk=$("$build/bench/guest-unwind" "$(scaled 1000000)") ||
        return
    read -r -a figures < <(awk -v walk="${walk#* }" \
        '{ printf "%.2f\n", $2 + $9 + walk }' "$work/out")
    note=$(awk -v walk="${walk#* }" '{
        print "xenoprofd " $2 ", its walker " $9 " and a walk " walk
    }' "$work/out")
}

# us of CPU, bytes and lost % that perf record -g takes of a sample at each system
# call, without what the program takes.
recorded() {
    local calls count alone
    needs perf || return
    count=$(scaled 1000000)
    calls=(dd if=/dev/zero of=/dev/null bs=1 count="$count")
    rm -f "$work/steps"
    cost "${calls[@]}" 2>/dev/null || return
    alone=$(cut -d' ' -f1 "$work/steps")
    rm "$work/steps"
    cost perf record -g -c 1 -e raw_syscalls:sys_enter -o "$work/recorded" -- \
        "${calls[@]}" >"$work/out" 2>&1 || { absent="no events"; return 1; }
    read -r -a figures < <(awk -v alone="$alone" -v bytes="$(size_of "$work/recorded")" '
        FNR == NR { us = $1 - alone; next }
        match($0, /\([0-9]+ samples/) { n = substr($0, RSTART + 1) + 0 }
        END { if (n) printf "%.2f %.0f\n", us / n, bytes / n }' \
        "$work/steps" "$work/out")
    rm -f "$work/recorded"
}

# said AWK COMMAND...: what AWK finds in what it prints.
said() {
    local status=0
    needs "$2" || return
    "${@:2}" >"$work/out" 2>&1 || status=$?
    found "$1" "$work/out"
    [ $status = 0 ] || { tail -n 3 "$work/out" >&2; return 1; }
}

# found AWK FILE
found() { read -r -d '' -a figures < <(awk "$1" "$2") || :; }

# shown NAME AWK COMMAND...: the same of a command that is run once for all rows
# with that name, and has bounds of its own, which are the table's goals.
shown() {
    needs "$3" || return
    [ -e "$work/shown.$1" ] || "${@:3}" >"$work/shown.$1" || :
    found "$2" "$work/shown.$1"
}
browser() {
    needs chromium node && shown page "$1" env STACKS="$(scaled 100000)" \
        SAMPLES="$(scaled 1000000)" "$here/page-speed.sh" "$build"
}
gaps() { shown gaps "$1" "$here/sample-gaps.sh"; }
agent() {
    shown agent "/^[0-9]/ { n++ } n == $1 && /first answer|a session asks|memory/ {
        print substr(\$0, 47) + 0 }" "$build/bench/agent-cost" "$build/opagent"
}
