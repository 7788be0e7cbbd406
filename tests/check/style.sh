# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# The form of the source, as far as scripts can check it.

c_files() {
    git ls-files '*.c' '*.h' 2>/dev/null | grep . ||
        find . -name '*.[ch]' -not -path './build*'
}

formatted() {
    c_files | xargs clang-format --dry-run -Werror
}

# Runs beside the builds: without git, all files are checked but those of a build.
scripts=(check-headers check-numbers check-spdx check-man check-page check-types
    check-layers check-names check-docs check-promises check-shell check-units)
checks=()
start_style() {
    local script
    note clang-format formatted &
    checks+=($!)
    for script in "${scripts[@]}"; do
        note "$script" "build-aux/$script" &
        checks+=($!)
    done
}

check_style() {
    local script
    say "style"
    wait "${checks[@]}"
    for script in clang-format "${scripts[@]}"; do
        case_of "$script" noted "$script"
    done
}
