# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion for bash: the options that --help lists, and values of some.

# The options of program $1, those with a value with "=".
_xenoprof_options() {
    "$1" --help 2>/dev/null |
        sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z-]*=\{0,1\}\).*/\2/p' | sort -u
}

# What the value of option $2 of program $1 can be, as far as that is known.
_xenoprof_values() {
    case $2 in
    --sort | --filter)
        "$1" --list-fields 2>/dev/null |
            sed -n 's/^  \([a-z-]*\) .*/\1/p' | sort -u ;;
    --session | --diff)
        xenopctl --list-sessions 2>/dev/null | awk 'NR > 1 { print $1 }'
        compgen -f -- "$3" ;;
    --passive-domains | --active-domains)
        echo all
        xl list 2>/dev/null | awk 'NR > 1 { print $1 }' ;;
    --event)
        "$1" --list-events 2>/dev/null | awk '/^[A-Za-z0-9_-]+ / { print $1 }' ;;
    --sampler) printf '%s\n' nmi timer ;;
    --trace) printf '%s\n' runstates exits ;;
    --stacks) printf '%s\n' none xen kernel user below ;;
    --export) printf '%s:\n' pprof otlp firefox speedscope perfetto perf \
        perf-script csv folded ;;
    --color) printf '%s\n' auto always never ;;
    --merge) xl list 2>/dev/null | awk 'NR > 1 { print $1 ":" }' ;;
    --cpupool) xl cpupool-list -c 2>/dev/null | awk 'NR > 1 { print $1 }' ;;
    --html | --flamegraph | --archive | --offline | --unwind-table | --xen-syms | --code | --session-dir)
        compgen -f -- "$3" ;;
    esac
}

_xenoprof() {
    local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} word option value before
    word=${line##*[[:space:]]}
    COMPREPLY=()
    case $word in
    --*=*)
        option=${word%%=*} value=${word#*=}
        # The last of a list; readline has the word behind "=" already.
        before=
        case $value in *,*) before=${value%,*}, ;; esac
        mapfile -t COMPREPLY < <(compgen -P "$before" -W \
            "$(_xenoprof_values "$1" "$option" "${value##*,}")" -- "${value##*,}")
        [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$option=}")
        ;;
    -* | '')
        mapfile -t COMPREPLY < <(compgen -W "$(_xenoprof_options "$1")" -- "$word")
        [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
        ;;
    esac
}

complete -F _xenoprof opagent xenopctl xenopreport xenoprof-push xenoprofd
