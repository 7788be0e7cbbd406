# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Form: what a script can see of it.

c_files() {
    git ls-files '*.c' '*.h' 2>/dev/null | grep . ||
        find . -name '*.[ch]' -not -path './build*'
}

formatted() {
    c_files | xargs clang-format --dry-run -Werror
}

check_style() {
    say "style"
    case_of "clang-format" formatted
    for script in check-headers check-numbers check-spdx check-man check-page; do
        case_of "$script" "build-aux/$script"
    done
}
