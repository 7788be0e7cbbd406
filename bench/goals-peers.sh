# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# bench/goals.sh's figures that compare xenopreport with other profilers' tools,
# which get the same samples: perf; go; stackcollapse-perf.pl and flamegraph.pl,
# which are yours to fetch (github.com/brendangregg/FlameGraph), in PATH or in the
# folder SCRIPTS; inferno-collapse-perf and inferno-flamegraph.
PATH=${SCRIPTS:+$SCRIPTS:}$PATH
export PERF_CONFIG=/dev/null

# The tools.  Each function gets the data in the form that the table's row says:
# perf, text (of perf script) or pprof.
perf_at() { # DATA
    local names=()
    case $1 in
    *grow*)
        [ -e "$work/kallsyms" ] ||
            "$build/bench/peers" kallsyms "$work/kallsyms" || return
        names=(--kallsyms="$work/kallsyms")
        ;;
    esac
    at=(-f -i "$1" "${names[@]}")
}
perf_script() { # DATA
    local at
    needs perf && perf_at "$1" && perf script "${at[@]}"
}
perf_report() { # DATA OPTION...
    local at
    perf_at "$1" &&
        cost perf report "${at[@]}" --stdio -n "${@:2}" >"$work/theirs"
}
perl_graph() {
    cost stackcollapse-perf.pl "$1" >"$work/theirs" &&
        cost flamegraph.pl "$work/theirs" >"$work/picture"
}
inferno_graph() {
    cost inferno-collapse-perf -n 1 "$1" >"$work/theirs" &&
        cost inferno-flamegraph "$work/theirs" >"$work/picture"
}
pprof() { # DATA OPTION
    cost go tool pprof -symbolize=none -sample_index=samples "$2" "$1" \
        >"$work/theirs"
}
perf_text() { # the only form of perf's that says a chain's order
    local at
    perf_at "$1" && cost perf script "${at[@]}" >"$work/theirs"
}

# What each form of report says, as lines of SAMPLES FUNCTION.
counts_xenopreport() {
    awk 'NF == 5 && $2 ~ /^[1-9][0-9]*$/ && $5 ~ /^[a-z_]/ { print $2, $5 }'
}
counts_perf() { # one row for each process, or for all of them
    awk 'NF > 3 && $(NF - 1) == "[k]" { count[$NF] += $2 ~ /%$/ ? $3 : $2 }
        END { for (name in count) print count[name], name }'
}
counts_folded() { # in samples, or in ns of 1003009 each
    awk -F '[; ]' '{ count[$(NF - 1)] += $NF % 1003009 ? $NF : $NF / 1003009 }
        END { for (name in count) print count[name], name }'
}
counts_text() { # a line for the sample, then its frames, leaf first
    awk '/^[^\t]/ { leaf = 1; next }
        leaf { sub(/\+0x.*/, "", $2); count[$2]++; leaf = 0 }
        END { for (name in count) print count[name], name }'
}
counts_pprof() { # -top, or the lines of -tree that are no callers' or callees'
    awk 'NF == 6 && $2 ~ /%$/ { print $1, $6 } NF == 7 && $6 == "|" { print $1, $7 }'
}

# Whether the ten functions with the most samples of ours have as many in theirs.
same_answer() { # DATA COUNTS
    data "$1" || return
    [ -e "$work/hottest.$1" ] || "$program" --session="$data" --sort=symbol \
        --width=0 --percent-limit=0 | counts_xenopreport | head -n 10 |
        sort >"$work/hottest.$1"
    [ "$(wc -l <"$work/hottest.$1")" = 10 ] ||
        { echo "there are no ten functions with samples" >&2; return 1; }
    "$2" <"$work/theirs" | sort >"$work/counts"
    ! comm -23 "$work/hottest.$1" "$work/counts" | grep . >"$work/different" ||
        { echo "not in what it says: $(head -n 3 "$work/different" |
            paste -s -d ,)" >&2; return 1; }
}

# One turn: us KiB of the command, KiB of its largest part.
turn_of() {
    rm -f "$work/steps"
    "$@" || return
    turn=$(awk '{ us += $1; if ($2 > kb) kb = $2 } END { print us, kb }' \
        "$work/steps")
}
ours() { # DATA VIEW
    cost "$program" --session="$1" "$2" >"$work/ours"
}

# peer DATA VIEW FORM COUNTS PROGRAMS FUNCTION OPTION...: how many times our CPU
# time theirs is, and our memory; a view of ours and FUNCTION run in turn.
peer() {
    local samples=$1 view=${2//@/$work/picture} counts=$4 session theirs turn
    local one i
    # shellcheck disable=SC2086
    needs $5 && data "$1" || return
    session=$data
    data "$1.$3" || return
    theirs=$data
    shift 5
    rm -f "$work/turns" "$work/steps"
    if [ "$pairs" = 0 ]; then
        "$1" "$theirs" "${@:2}" && same_answer "$samples" "$counts"
        return
    fi
    for ((i = 0; i < pairs; i++)); do
        turn_of ours "$session" "$view" && one=$turn &&
            turn_of "$1" "$theirs" "${@:2}" || return
        echo "$one $turn" >>"$work/turns"
    done
    same_answer "$samples" "$counts" || return
    read -r -a figures < <(quotients "$work/turns")
    note="${figures[*]:2}" figures=("${figures[@]:0:2}")
}

# Medians of all turns, and the lowest and highest ratio.
quotients() {
    awk '
        function middle(list,   i, j, kept) {
            for (i = 2; i <= NR; i++) {
                kept = list[i]
                for (j = i - 1; j > 0 && list[j] > kept; j--)
                    list[j + 1] = list[j]
                list[j + 1] = kept
            }
            return (list[int((NR + 1) / 2)] + list[int(NR / 2) + 1]) / 2
        }
        {
            us[NR] = $1 / 1e6; kb[NR] = $2 * 1024 / 1e6
            their_us[NR] = $3 / 1e6; their_kb[NR] = $4 * 1024 / 1e6
            times[NR] = $3 / $1; memory[NR] = $4 / $2
        }
        END {
            printf "%.1f %.1f ", middle(times), middle(memory)
            printf "%.1f to %.1f in %d pairs; ", times[1], times[NR], NR
            printf "ours %.2f s, %.0f MB; ", middle(us), middle(kb)
            printf "theirs %.2f s, %.0f MB\n", middle(their_us), middle(their_kb)
        }' "$1"
}

# Bytes of DATA as perf.data, as that by zstd -3, and as pprof, of a session's.
sizes() {
    local form ours
    [ "$pairs" != 0 ] || { absent="it has no samples"; return 1; }
    needs zstd && data "$1" || return
    ours=$(size_of "$data")
    for form in perf pprof; do
        data "$1.$form" || return
    done
    zstd -q -f -3 "$work/data.$1.perf" -o "$work/written" || return
    for form in "$work/data.$1.perf" "$work/written" "$work/data.$1.pprof"; do
        figures+=("$(size_of "$form" |
            awk -v ours="$ours" '{ printf "%.1f", $1 / ours }')")
    done
    rm "$work/written"
}
