# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Which scenarios run in which boot.

# header NAME KEY: the value of '# KEY: value' in the head of a scenario.
header() {
    awk -v key="$2:" '
        !/^#/ { exit }
        $2 == key { sub(/^# [a-z]+: */, ""); print; exit }' "$here/$1.sh"
}

# Files without a title are parts of the kit.
all_scenarios() {
    local file name
    for file in "$here"/*.sh; do
        name=${file##*/}
        name=${name%.sh}
        [ -z "$(header "$name" title)" ] || echo "$name"
    done
}

read_boots() {
    grep -v '^#' "$here/boots"
}

# has WORD LIST...
has() {
    local word=$1 one
    shift
    for one; do
        [ "$one" != "$word" ] || return 0
    done
    return 1
}

check_names() {
    local name boot
    for name in "${names[@]}"; do
        [ -f "$here/$name.sh" ] && [ -n "$(header "$name" title)" ] ||
            die "there is no scenario '$name'; there are: $(all_scenarios | tr '\n' ' ')"
    done
    for name in $(all_scenarios); do
        for boot in $(header "$name" boot); do
            read_boots | grep -q "^$boot " ||
                die "scenario $name wants boot '$boot', which tests/lab/boots does not have."
        done
    done
}

# Runs without being asked for.
is_usual() {
    local on
    on=$(header "$1" usually)
    [ "$(header "$1" long)" != yes ] && { [ -z "$on" ] || [ "$on" = "$host" ]; }
}

# Somebody's own Xen may be built with us (doc/intree.md): what a scenario loads, it
# has.
is_inside() {
    [ -n "${XENOPROF_XEN-}" ] && [ -f "$XENOPROF_XEN/xen-syms" ] &&
        nm "$XENOPROF_XEN/xen-syms" | grep ' core_command$' >/dev/null
}

# A long scenario runs if it is named.
wanted() {
    local name=$1 on
    [ "$(header "$name" loads)" != yes ] || ! is_inside || return 1
    [ "$(header "$name" inside)" != yes ] || is_inside || return 1
    # shellcheck disable=SC2046
    has "$boot" $(header "$name" boot) || return 1
    on=$(header "$name" hosts)
    # shellcheck disable=SC2086
    [ -z "$on" ] || has "$host" $on || return 1
    if [ ${#names[@]} -gt 0 ]; then
        has "$name" "${names[@]}"
    else
        [ -n "$long" ] || is_usual "$name"
    fi
}

plan_all() {
    local name
    for name in $(all_scenarios); do
        ! wanted "$name" || planned+=("$name")
    done
}

# A release in the making replaces its Xen by the next series one day: that is
# said, and is no failure. What else goes wrong the boot itself finds.
archive_lacks_xen() {
    local want status=0
    want=$(sed -n 's/.*--xen \([a-z][^ ]*\).*/\1/p' <<<"$options")
    [ -n "$want" ] || return 1
    "$top/lab/lab" path --host "$host" --xen "$want" xen \
        >/dev/null 2>"$out/$host-absent" || status=$?
    [ $status = 117 ] || return 1
    say "boot '$boot' does not run: $(tail -n 1 "$out/$host-absent")"
}

# Sets $planned to the scenarios of this $boot on this $host. A boot that has
# long ones only runs them when it is named.
plan_boot() {
    local long=$long
    planned=()
    [ "${where%,long}" = all ] || [ "${where%,long}" = "$host" ] || return 0
    [ "$where" = "${where%,long}" ] || [ -n "$long" ] || [ ${#boots[@]} -gt 0 ] || return 0
    [ ${#boots[@]} = 0 ] || has "$boot" "${boots[@]}" || return 0
    plan_all
    if [ ${#planned[@]} = 0 ] && [ ${#boots[@]} -gt 0 ]; then
        long=yes
        plan_all
    fi
}
