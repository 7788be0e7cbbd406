# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# One boot of the lab.

# Gives dom0 what it needs: the scenarios, the programs and payloads that are made
# for them, and the plan.
collect() {
    local into=$1 build file
    build=$("$top/lab/build-for" "$host" "$top")
    build=${build%%$'\n'*}
    [ -n "$build" ] || die "nothing was built for $host."
    mkdir -p "$into/bin" "$into/payloads"
    cp "$here"/*.sh "$into/"
    for file in "$build"/tests/lab/tools/* "$build/opagent-static"; do
        [ ! -f "$file" ] || [ ! -x "$file" ] || cp "$file" "$into/bin/"
    done
    cp "$build"/tests/lab/payloads/{*.livepatch,software-module.o} "$into/payloads/"
    [ ! -d "$made" ] || cp -R "$made" "$into/modules"
    printf '%s\n' "${planned[@]}" >"$into/plan"
    [ -z "$long" ] || : >"$into/long"
    echo "rounds=${LAB_ROUNDS:-}" >"$into/settings"
}

# collect_debs INTO: our packages, if a scenario of this boot wants them; sets
# $needed to options for what they take besides.
collect_debs() {
    local name all
    needed=()
    for name in "${planned[@]}"; do
        [ -n "$(header "$name" debs)" ] || continue
        # shellcheck disable=SC2046
        all=$("$top/lab/build-debs" "$host" "$1" \
            $(grep -o -- '--package [^ ]*' <<<"$options" | cut -d ' ' -f 2))
        for name in $all; do
            needed+=(--package "$name")
        done
        return
    done
}

# How many seconds the lab gives all scenarios of this boot.
time_limit() {
    local name sum=240 limit
    for name in "${planned[@]}"; do
        limit=$(header "$name" limit)
        sum=$((sum + ${limit:-300}))
    done
    case $options in *--icount* | *--machine*) sum=$((sum * 4)) ;; esac
    echo "$sum"
}

# keep_modules FOLDER: what this boot made, for the next ones.
keep_modules() {
    [ -d "$1" ] || return 0
    mkdir -p "$made"
    mv "$1"/*.livepatch "$made/"
    rmdir "$1"
}

# boot_once FOLDER: sets $ended, lab's exit status.
boot_once() {
    local command begun made=$out/$host-modules needed
    rm -rf "$1"
    mkdir -p "$1"
    collect "$1/tests"
    collect_debs "$1/tests/debs"
    # Xen keeps its messages in a ring, which the scenarios read.
    command=("$top/lab/lab" run --host "$host" --cpus "$cpus"
        --put "$1/tests:/tests" --xen-option conring_size=512k
        --timeout "$(time_limit)")
    [ "$guests" = - ] || command+=(--guests "$here/$guests")
    # shellcheck disable=SC2206
    command+=(${options//@bin@/$1/tests/bin} "${needed[@]}" "$here/dom0.sh" "$1")
    ended=0 begun=$SECONDS
    ${LAB_LOCK:+flock -o "$LAB_LOCK"} "${command[@]}" \
        >"$1/lab.log" 2>&1 </dev/null || ended=$?
    say "$host, boot '$boot' took $((SECONDS - begun)) s"
    keep_modules "$1/modules"
    rm -rf "$1/tests"
}

# dom0's kernel panicked before anything of xenoprof ran in dom0 or Xen. The
# emulator lets a processor run code that Linux has patched meanwhile (int3, where
# none is left): seen twice in some hundred boots.
died_without_us() {
    grep -qx dom0-panic "$1/verdict" 2>/dev/null &&
        ! grep -qE '^scenario .* begins$' "$1/output" 2>/dev/null
}

# run_boot NAME: sets $folder, where this boot's logs are, and $ended, lab's exit
# status.
run_boot() {
    folder=$out/$1
    say "$host, boot '$boot': ${planned[*]}"
    boot_once "$folder"
    died_without_us "$folder" || return 0
    say "$host, boot '$boot': dom0's kernel panicked before the first scenario; booting once more"
    rm -rf "$folder-panicked"
    mv "$folder" "$folder-panicked"
    boot_once "$folder"
}
