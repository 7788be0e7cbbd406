# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Runs each parser of outside bytes under libFuzzer for a while, one on each
# processor at a time.

fuzz_seconds() {
    case $level in
    quick) echo 1 ;;
    long) echo 120 ;;
    *) echo 5 ;;
    esac
}

# fuzz_build NAME...: these fuzzers, from the build with sanitizers.
fuzz_build() {
    make -s -C build-clang -j "$jobs" "${@/#/tests/fuzz/}"
}

fuzz_run() {
    local name=$1 corpus=$logs/$1.corpus
    mkdir -p "$corpus"
    [ ! -d "tests/fuzz/seeds/${name#fuzz-}" ] ||
        cp "tests/fuzz/seeds/${name#fuzz-}"/* "$corpus"/
    "build-gcc/tests/fuzz/$name" --seeds="$corpus" || return 1
    (cd "$logs" && "$OLDPWD/build-clang/tests/fuzz/$name" -seed=1 \
        -max_total_time="$(fuzz_seconds)" -timeout=5 -rss_limit_mb=1024 \
        -print_final_stats=1 "$corpus")
}

# Guests that come, lie, die and come back (tests/unit/daemon/guests): as many
# rows of events.
fuzz_lives() {
    local -A rows=([quick]=3 [normal]=20 [long]=500)
    top_srcdir=. LIVES_RUNS=${rows[$level]} \
        build-gcc/tests/unit/daemon/guests/test-guest-lives
}

fuzz_domain_lives() {
    DOMAIN_LIVES=10000 build-gcc/tests/unit/daemon/guests/test-domain-lives
}

check_fuzz() {
    local file names=() name
    say "fuzzers, $(fuzz_seconds) seconds each"
    for file in tests/fuzz/fuzz-*.c; do
        name=${file##*/}
        names+=("${name%.c}")
    done
    case_of "build for fuzzing" fuzz_build "${names[@]}"
    for name in "${names[@]}"; do
        [ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
        note "$name" fuzz_run "$name" &
    done
    wait
    case_of "guests in any order" fuzz_lives
    [ "$level" = quick ] || case_of "10,000 domains" fuzz_domain_lives
    for name in "${names[@]}"; do
        case_of "$name" noted "$name"
    done
}
