# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Each parser of outside bytes, under libFuzzer for a while.

fuzz_seconds() {
    case $level in
    quick) echo 3 ;;
    long) echo 120 ;;
    *) echo 10 ;;
    esac
}

# fuzz_one FILE: builds it with the sources it names and runs it.
fuzz_one() {
    local name=${1##*/} corpus
    name=${name%.c}
    corpus=$logs/$name.corpus
    mkdir -p "$corpus"
    make -s -C build-fuzz "tests/fuzz/$name" || return 1
    [ ! -d "tests/fuzz/seeds/${name#fuzz-}" ] ||
        cp "tests/fuzz/seeds/${name#fuzz-}"/* "$corpus"/
    (cd "$logs" && "$OLDPWD/build-fuzz/tests/fuzz/$name" -seed=1 \
        -max_total_time="$(fuzz_seconds)" -timeout=5 -rss_limit_mb=1024 \
        -print_final_stats=1 "$corpus")
}

check_fuzz() {
    say "fuzzers, $(fuzz_seconds) seconds each"
    case_of "build for fuzzing" fuzz_configure || return
    for file in tests/fuzz/fuzz-*.c; do
        [ -e "$file" ] && case_of "$(basename "$file" .c)" fuzz_one "$file"
    done
}

fuzz_configure() {
    mkdir -p build-fuzz && (cd build-fuzz &&
        ../configure --quiet CC=clang --enable-sanitizers --enable-fuzzing)
}
