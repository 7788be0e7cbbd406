#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of options in bash, zsh and fish.
source_folder=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
PATH=$build:$build/report:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# result NAME WANTED GOT: equal, or "not ok".
result() {
    count=$((count + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        printf '# got %s\n# wanted %s\n' "${3//$'\n'/ }" "${2//$'\n'/ }"
    fi
}

# shell NAME TEXT WANTED COMMAND...: that, if there is such a shell.
shell() {
    if command -v "$1" >/dev/null; then
        result "$1: $2" "$3" "$("${@:4}")"
    else
        count=$((count + 1))
        echo "ok $count - $1: $2 # SKIP there is no $1"
    fi
}

# What bash offers behind this line, a word a line.
in_bash() {
    (
        # shellcheck source=/dev/null
        . "$source_folder/completion/xenoprof.bash"
        COMP_LINE=$1 COMP_POINT=${#1}
        compopt() { :; }
        _xenoprof "${1%% *}"
        printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
    )
}

# Whether zsh makes $2 of the line $1: in a shell that has a terminal, and waits for
# what is wanted.
in_zsh() {
    local tty="$work/zsh"
    # shellcheck disable=SC2016
    timeout 30 zsh -f -c '
        zmodload zsh/zpty
        zpty shell "PS1=\> TERM=dumb zsh -f -i"
        zpty -w shell "fpath=($1 \$fpath); autoload -U compinit; compinit -D -u"
        zpty -w shell "LISTMAX=999; unsetopt listbeep; print rea\dy"
        zpty -r -m shell text "*ready*"
        zpty -w -n shell "$2"$'"'\t'"'
        zpty -r -m shell text "*$3*" && print found' \
        zsh "$source_folder/completion" "$1" "$2" >"$tty" 2>&1 </dev/null
    grep -o found "$tty"
}

in_fish() {
    cp "$source_folder/completion/xenoprof.fish" "$work/${1%% *}.fish"
    HOME=$work fish --no-config -c "
        source $work/${1%% *}.fish
        complete -C '$1'" 2>&1 </dev/null | sed 's/\t.*//'
}

if [ -x "$build/xenopctl" ]; then
    result "bash: options" "$(printf '%s\n' --stacks= --start --status)" \
        "$(in_bash "xenopctl --setup --sta")"
    result "bash: values" "$(printf '%s\n' nmi)" "$(in_bash "xenopctl --sampler=n")"
    result "bash: events" "$(printf '%s\n' instructions)" \
        "$(in_bash "xenopctl --start --event=instructions")"
    result "bash: the last of a list" "xen,kernel" \
        "$(in_bash "xenopctl --start --stacks=xen,k")"
fi
result "bash: xenopreport" "--callgraph" "$(in_bash "xenopreport --callg")"
result "bash: labels" "domain,symbol" "$(in_bash "xenopreport --sort=domain,sym")"
result "bash: nothing of what there is not" "" "$(in_bash "xenopreport --nothing")"
shell zsh options found in_zsh "xenopreport --callg" "--callgraph"
shell fish options "--callgraph" in_fish "xenopreport --callg"
echo "1..$count"
