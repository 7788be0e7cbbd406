# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Runs each parser of outside bytes under libFuzzer for a while, and the daemon's
# guests through rows of events.

# Behind the lab a fuzzer has a small share of a processor, so it gets more time.
fuzz_seconds() {
    case $level in
    quick) echo 1 ;;
    long) echo 120 ;;
    *) echo 6 ;;
    esac
}

# The fuzzers' names.
fuzzers() {
    local file
    for file in tests/fuzz/fuzz-*.c; do
        basename "$file" .c
    done
}

# fuzz_build NAME...: these fuzzers, from the build with sanitizers.
fuzz_build() {
    make -s -C build-clang -j "$jobs" "${@/#/tests/fuzz/}"
}

# An input that takes half a minute hangs, also on a processor that others use.
fuzz_run() {
    local name=$1 corpus=$logs/$1.corpus
    mkdir -p "$corpus"
    [ ! -d "tests/fuzz/seeds/${name#fuzz-}" ] ||
        cp "tests/fuzz/seeds/${name#fuzz-}"/* "$corpus"/
    "build-gcc/tests/fuzz/$name" --seeds="$corpus" || return 1
    (cd "$logs" && "$OLDPWD/build-clang/tests/fuzz/$name" -seed=1 \
        -max_total_time="$(fuzz_seconds)" -timeout=30 -rss_limit_mb=1024 \
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

# A day of a large host.
fuzz_day() {
    make -s -C build-gcc report/xenopreport tests/unit/daemon/guests/test-day &&
        top_builddir=build-gcc DAY=86400 \
            build-gcc/tests/unit/daemon/guests/test-day
}

# run_fuzzers JOBS: as many at a time.
run_fuzzers() {
    local names name
    mapfile -t names < <(fuzzers)
    note fuzz-build fuzz_build "${names[@]}"
    for name in "${names[@]}"; do
        [ "$(jobs -rp | wc -l)" -lt "$1" ] || wait -n
        note "$name" fuzz_run "$name" &
    done
    wait
    note fuzz-lives fuzz_lives
    [ "$level" = quick ] || note fuzz-domain-lives fuzz_domain_lives
    [ "$level" != long ] || note fuzz-day fuzz_day
}

# What the fuzzers said, when they ran.
check_fuzz() {
    local name
    case_of "build for fuzzing" noted fuzz-build
    for name in $(fuzzers); do
        case_of "$name" noted "$name"
    done
    case_of "guests in any order" noted fuzz-lives
    [ "$level" = quick ] || case_of "10,000 domains" noted fuzz-domain-lives
    [ "$level" != long ] || case_of "a day of a large host" noted fuzz-day
}
