# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What guests ran, and stacks of their kernels.

# Sets $pv and $pvh, ns that Xen accounts to the two domains in $ids.
cpu_times() {
    local both
    # shellcheck disable=SC2086
    both=$(cpu-time $ids) || fail "Xen does not account for $ids"
    pv=${both% *} pvh=${both#* }
}

# share FILE PATTERN: samples whose stack matches, in thousandths of all in FILE.
share() {
    awk -v pattern="$2" '
        { count = $NF; all += count; if ($0 ~ pattern) some += count }
        END { printf "%d\n", all ? some * 1000 / all : 0 }' "$1"
}

# Each guest's samples have names.
all_named() {
    local guest
    folded >/tmp/early
    for guest; do
        grep -q "^$guest;.*ksys_read_.k." /tmp/early || return 1
    done
}

# Each guest's kernel has two hundred samples that were taken since $after.
# Reports cost the guests the time that they should work in.
enough() {
    local guest
    sleep 2
    folded --filter="time=$after.." >/tmp/early
    for guest; do
        awk -v guest="$guest" '
            index($0, guest ";") == 1 && /_\[k\] [0-9]+$/ { sum += $NF }
            END { exit sum < 200 }' /tmp/early || return 1
    done
}

# sample_kernels GUEST...: starts, waits until each guest's kernel has names, and
# then for samples with names; sets $after to the session's second from which on
# all have them.
sample_kernels() {
    local guest began list=
    for guest; do
        list=$list${list:+,}$guest
    done
    must xenopctl --setup
    began=$(date +%s)
    # Under emulation, guests work for a tenth of the time, mostly in Xen.
    must xenopctl --start --passive-domains="$list" --frequency=397
    # On a slow, emulated host not all samples can wait for names.
    wait_for 200 "both kernels to be found" all_named "$@"
    after=$(($(date +%s) - began + 1))
    echo "kernels found within $after s"
    wait_for 200 "200 samples in each guest's kernel" enough "$@"
}

# keep NAME: has the lab bring the session back, as a folder NAME.
keep() {
    mkdir -p "$OUT/$1"
    cp -r "$sessions"/current "$OUT/$1/"
}

# said_by GUEST TEXT: such lines of its console, also from before it rebooted.
said_by() {
    grep -c "$2" "/var/log/xen/guest-$1.log"
}

says_more() {
    [ "$(said_by "$1" "$2")" -gt "$3" ]
}

# work_at GUEST LOAD: the guest's command reads from its console.
work_at() {
    local before
    before=$(said_by "$1" "works at $2")
    echo "$2" >"$(xenstore-read "/local/domain/$(xl domid "$1")/console/tty")"
    wait_for 60 "$1 to work at $2" says_more "$1" "works at $2" "$before"
}

# whole_stacks GUEST FOLDED: samples in a guest's kernel whose stack begins at an
# entry of it.
whole_stacks() {
    awk -v guest="$1" '
        index($0, guest ";") == 1 && /_\[k\] [0-9]+$/ &&
        /^[^;]*;(entry_|asm_|exc_|xen_|ret_from_|secondary_|start_)[^;]*_\[k\]/ {
            sum += $NF
        }
        END { print sum + 0 }' "$2"
}

# chains GUEST FILE: the stacks of samples in the guest's kernel, from a report by
# --json --stacks, as lines 'ADDRESS:NAME[IMAGE];... COUNT' from the root on; '-'
# is a frame that is not code of a kernel.
chains() {
    awk -v guest="$1" '
        function get(key,   at, rest) {
            at = index($0, "\"" key "\": ")
            if (!at) return "-"
            rest = substr($0, at + length(key) + 4)
            sub(/^"/, "", rest)
            sub(/[",}].*/, "", rest)
            return rest == "null" ? "-" : rest
        }
        /"mode": .*"mark":/ {
            frames[number++] = get("mode") != "kernel" ? "-" : \
                get("address") ":" get("symbol") "[" get("image") "]"
        }
        /"stack": \[[0-9]/ && get("domain_name") == guest && get("mode") == "kernel" {
            list = $0
            sub(/.*"stack": \[/, "", list)
            sub(/\].*/, "", list)
            last = split(list, stack, ", ")
            for (i = 1; i <= last; i++)
                printf "%s%s", frames[stack[i]], i < last ? ";" : " "
            print get("samples")
        }' "$2"
}

# kernel_fact GUEST FILE KEY: what a report by --json says about its kernel.
kernel_fact() {
    awk -v guest="\"name\": \"$1\"" -v key="\"$3\": " '
        index($0, guest) { on = 1 }
        on && /"kernel": \{.*"found":/ {
            rest = substr($0, index($0, key) + length(key))
            sub(/^"/, "", rest)
            sub(/[",}].*/, "", rest)
            print rest
            exit
        }' "$2"
}
