# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Each parser of outside bytes, under libFuzzer for a while, as many at a time
# as there are processors.

fuzz_seconds() {
    case $level in
    quick) echo 3 ;;
    long) echo 120 ;;
    *) echo 10 ;;
    esac
}

fuzz_build() {
    local file targets=()
    mkdir -p build-fuzz && (cd build-fuzz &&
        ../configure --quiet CC=clang --enable-sanitizers --enable-fuzzing) ||
        return 1
    for file in tests/fuzz/fuzz-*.c; do
        targets+=("${file%.c}")
    done
    make -s -C build-fuzz -j "$jobs" "${targets[@]}"
}

# fuzz_run NAME: leaves its exit status and what it said in $logs.
fuzz_run() {
    local name=$1 corpus=$logs/$1.corpus status=0
    mkdir -p "$corpus"
    [ ! -d "tests/fuzz/seeds/${name#fuzz-}" ] ||
        cp "tests/fuzz/seeds/${name#fuzz-}"/* "$corpus"/
    "build-gcc/tests/fuzz/$name" --seeds="$corpus" || status=$?
    (cd "$logs" && "$OLDPWD/build-fuzz/tests/fuzz/$name" -seed=1 \
        -max_total_time="$(fuzz_seconds)" -timeout=5 -rss_limit_mb=1024 \
        -print_final_stats=1 "$corpus") >"$logs/$name.said" 2>&1 || status=$?
    echo $status >"$logs/$name.status"
}

fuzz_passed() {
    cat "$logs/$1.said"
    [ "$(cat "$logs/$1.status")" = 0 ]
}

check_fuzz() {
    local file names=() name
    say "fuzzers, $(fuzz_seconds) seconds each"
    case_of "build for fuzzing" fuzz_build
    for file in tests/fuzz/fuzz-*.c; do
        name=${file##*/}
        names+=("${name%.c}")
    done
    for name in "${names[@]}"; do
        [ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
        fuzz_run "$name" &
    done
    wait
    for name in "${names[@]}"; do
        case_of "$name" fuzz_passed "$name"
    done
}
