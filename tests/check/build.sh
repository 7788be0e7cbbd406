# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Builds out of the tree, each with its unit and golden tests.  gcc builds what
# users get, and runs all programs.  clang builds with sanitizers, for the fuzzers
# too.  The distribution is what is built without Xen's libraries, and without
# optimising.  Large pages and hostile sessions of some size run in gcc's build
# only, and not with --quick: they repeat what the short ones do.  With --long
# nothing is left out there.

# One more than there are processors: some tests wait.
jobs=$(($(nproc) + 1))
usual_tests="FUZZ_RUNS=20 TEST_SHARE=2"
short_tests="$usual_tests STACKS=1 HOSTILE_MIB=0"
# The page's own code is the same in each build, and no sanitizer looks into it: a
# browser opens the pages of gcc's build, the others make them.  What is done very
# often is done a tenth as often: a sanitizer is several times slower.
other_tests="$short_tests CHROMIUM=none TEST_SHARE=10"

# A faster shell for configure and libtool, which spend most of their time in it.
[ ! -x /bin/dash ] || export CONFIG_SHELL=/bin/dash

# Sets $source, where configure is: here, or in a copy if this folder has a build
# of its own.
source=..
autotools() {
    build-aux/list-sources --update
    if [ -f config.status ]; then
        source=../build-source
        build-aux/clean-copy build-source
        return
    fi
    [ -f configure ] && [ configure -nt configure.ac ] &&
        [ configure -nt m4/xenoprof.m4 ] && [ Makefile.in -nt sources.mk ] &&
        return 0
    ./autogen.sh
}

# configure_and_make FOLDER [CONFIGURE ARGUMENT]...
configure_and_make() {
    local folder=$1
    shift
    # Objects made with other flags would stay.
    [ "$(cat "$folder/arguments" 2>/dev/null)" = "$source $*" ] ||
        rm -rf "$folder"
    mkdir -p "$folder" && echo "$source $*" >"$folder/arguments" &&
        (cd "$folder" &&
        "${CONFIG_SHELL:-/bin/sh}" $source/configure --quiet --enable-werror \
            "$@" && make -s -j "$jobs")
}

# test_logs FOLDER ACTION...: lets find act on the output of its tests.
test_logs() {
    local folder=$1
    shift
    find "$folder/tests" -name '*.log' "$@"
}

# The output of a folder's tests as TAP.  A program that crashed or was killed
# prints no failed case: it becomes one here, with its name and last words.
tests_as_tap() {
    local result log
    test_logs "$1" -exec cat {} +
    for result in $(find "$1/tests" -name '*.trs' \
        -exec grep -lE '^:global-test-result: (ERROR|FAIL)' {} +); do
        log=${result%.trs}.log
        grep -qE '^not ok ' "$log" && continue
        printf 'not ok - %s ended too early; its last words:\n' "${log%.log}"
        tail -n 3 "$log"
    done
}

# build_and_test FOLDER MAKE-ARGUMENTS [CONFIGURE ARGUMENT]...
build_and_test() {
    local folder=$1 goal
    read -ra goal <<<"$2"
    shift 2
    note "$folder-build" configure_and_make "$folder" "$@"
    test_logs "$folder" -delete
    find "$folder/tests" -name '*.trs' -delete
    note "$folder" make -s -C "$folder" -j "$jobs" "${goal[@]}"
}

# start_build NAME MAKE-ARGUMENTS [CONFIGURE ARGUMENT]...: in the background, so
# that no processor is idle while one of the builds is not parallel.
declare -A builder
start_build() {
    local name=$1
    shift
    build_and_test "build-$name" "$@" &
    builder[$name]=$!
}

start_gcc_and_clang() {
    say "builds begin"
    case_of "autogen.sh" autotools
    case $level in
    quick) start_build gcc "check $short_tests" ;;
    long) start_build gcc "check HOSTILE_MIB=2" ;;
    *) start_build gcc "check $usual_tests" ;;
    esac
    start_build clang "check-without-fuzzers $other_tests" CC=clang \
        --enable-sanitizers --enable-fuzzing CFLAGS="-O1 -gline-tables-only" \
        LDFLAGS=-fuse-ld=lld
}

# check_build NAME TITLE: waits for that build, and says how it went.
check_build() {
    local folder=build-$1 title=$2
    say "$title"
    wait "${builder[$1]}"
    took "$title: build" "$folder-build"
    took "$title: tests" "$folder"
    case_of "build: $title" noted "$folder-build"
    tests_as_tap "$folder" >"$logs/$folder.tap"
    count "$title" "$(cat "$logs/$folder.status")" "$logs/$folder.tap" \
        "$logs/$folder.said"
}

# shellcheck disable=SC2086
distcheck() {
    make -s -C build-gcc -j "$jobs" distcheck $other_tests \
        DISTCHECK_CONFIGURE_FLAGS="--quiet --enable-werror --without-xen CFLAGS='-O0 -g'"
}

# Results of tests as TAP, from make's sums: distcheck removes the tests' own.
sums_as_tap() {
    awk '
        $1 != "#" { next }
        $2 == "PASS:" { say("ok - ", $3) }
        $2 == "SKIP:" { say("ok - # SKIP", $3) }
        $2 == "FAIL:" || $2 == "ERROR:" { say("not ok - ", $3) }
        function say(line, times) { while (times-- > 0) print line }' "$1"
}

# Installs into a folder, and checks that all that a user gets is there.
installs() {
    local into=$logs/installed file
    make -s -C build-gcc install DESTDIR="$into" || return 1
    for file in sbin/xenopctl sbin/xenoprofd bin/xenopreport \
        lib/libxenoprof.so lib/xenoprof/xenoprof-module.o \
        share/man/man8/xenopctl.8 lib/pkgconfig/libxenoprof.pc \
        lib/sysusers.d/xenoprof.conf lib/tmpfiles.d/xenoprof.conf \
        share/bash-completion/completions/xenopctl; do
        [ -e "$into/usr/local/$file" ] || { echo "no $file"; return 1; }
    done
}

# ... and that nothing of it is left when that is undone, not even a folder of ours.
uninstalls() {
    local into=$logs/installed left
    make -s -C build-gcc uninstall DESTDIR="$into" || return 1
    left=$(find "$into" ! -type d -o -iname '*xenoprof*')
    [ -d "$into/usr/local/sbin" ] && [ -z "$left" ] ||
        { echo "left: $left"; return 1; }
    rm -r "$into"
}

# A configure that lacks several things must name all of them at once.
names_what_is_missing() {
    local folder=$logs/missing configure text package
    mkdir -p "$folder"
    configure=$(cd build-gcc && cd $source && pwd)/configure
    text=$(cd "$folder" && ac_cv_header_popt_h=no ac_cv_header_xenctrl_h=no \
        ac_cv_lib_zstd_ZSTD_compress=no "$configure" --quiet 2>&1) &&
        { echo "configure goes on without them"; return 1; }
    for package in libpopt-dev libxen-dev libzstd-dev; do
        grep -q "apt-get install.*$package" <<<"$text" ||
            { echo "$text"; return 1; }
    done
}

# For hosts and guests with other libraries: no interpreter, and they run.
static_programs() {
    local program
    make -s -C build-gcc static-programs || return 1
    for program in build-gcc/{opagent,xenopctl,xenoprofd,report/xenopreport}-static; do
        ! readelf -lW "$program" | grep INTERP || return 1
        "$program" --version || return 1
    done
}

# In the background, beside tiers that use one processor.
start_dist() {
    note distcheck distcheck &
    dist=$!
}

check_dist() {
    say "distribution"
    wait "$dist"
    took "made and checked" distcheck
    case_of "configure names what is missing" names_what_is_missing
    case_of "make install DESTDIR" installs
    case_of "make uninstall leaves nothing" uninstalls
    case_of "make static-programs" static_programs
    sums_as_tap "$logs/distcheck.said" >"$logs/distcheck.tap"
    count "the distribution without Xen's libraries" \
        "$(cat "$logs/distcheck.status")" "$logs/distcheck.tap" \
        "$logs/distcheck.said"
    case_of "make distcheck" noted distcheck
    check_release
}
