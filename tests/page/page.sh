#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of --html and the picture of --flamegraph in a headless Chromium:
# clicks, keys, searches, selections and links.  Skips without node or Chromium
# (CHROMIUM names it; "none": the pages are made, and nobody looks at them).
# STACKS lists the numbers of call chains of the large pages.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${top_builddir:-$(pwd)}
stacks=${STACKS:-1,100,100000}

browser=${CHROMIUM:-}
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name || true)
done
node=$(command -v node || command -v nodejs || true)
[ "$browser" != none ] || node=none
if [ -z "$browser" ] || [ -z "$node" ]; then
    echo "1..0 # SKIP no Chromium or no node: apt-get install chromium nodejs"
    exit 0
fi

# shellcheck source=/dev/null
. "$here/tests/report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8

# The page of session $1, and what --json says of it.
report() {
    "$program" --session="$scratch/$1" --html="$scratch/$1.html"
    "$program" --session="$scratch/$1" --json >"$scratch/$1.json"
}

make() {
    "$build/tests/golden/make-session" \
        "$here/tests/golden/report/$2.session" "$scratch/$1/"
    report "$1"
}

make basic basic
make chains flamegraph
make empty empty
make cut cut
make torn callgraph
make recursion symbol
make cost cost
make ends chains
make causes causes
make expired expired
make overview overview
make thunks thunks
make nameless nameless
make waits waits
make why why
make slowed slowed
make spooled spooled
make threads threads
make entry entry
make types types
make events events
make times diff-times
# A session that has the code of what ran, with a line of source that is as hostile
# as can be.
mkdir "$scratch/files"
sed "s|RLO|$(printf '\342\200\256')</script><img src=x onerror=window.ran=1>|" \
    "$here/tests/golden/report/annotate.s" >"$scratch/files/annotate.s"
for part in xen-syms:0xffff82d040200000:0x0123456789abcdef \
    vmlinux:0xffffffff81000000:none webd:0x401000:none; do
    at=${part#*:}
    (cd "$scratch/files" &&
        "${MODULE_CC:-gcc}" -g -nostdlib -static -no-pie -Wl,-e,0,-Ttext="${at%:*}" \
            -Wl,--build-id="${at#*:}" -o "${part%%:*}" annotate.s)
done
"$build/tests/golden/make-session" "$here/tests/golden/report/annotate.session" \
    "$scratch/files/annotate/"
"$program" --session="$scratch/files/annotate" --archive="$scratch/code" \
    --code=xen:"$scratch/files/xen-syms" --code=0:"$scratch/files/vmlinux" \
    --code=web:"$scratch/files/vmlinux" --code=webd:"$scratch/files/webd"
report code
# A program of this host, whose source all users may read, or not.
cat >"$scratch/files/here.session" <<END
fact 0 boot $(cat /proc/sys/kernel/random/boot_id)
domain 100 0 dom0 Domain-0
place spin 0 user 0x401004 $scratch/files/webd spin 0x401000
sample 101 0.0 0 user spin count=50
close 110
END
"$build/tests/golden/make-session" "$scratch/files/here.session" "$scratch/here/"
for mode in 644 600; do
    chmod $mode "$scratch/files/annotate.s"
    "$program" --session="$scratch/here" --html="$scratch/here-$mode.html"
done
"$program" --session="$scratch/code" --annotate='*' --no-header --width=0 \
    >"$scratch/code.annotate"
for domain in 0 1; do
    "$program" --session="$scratch/code" --annotate='xen:*' --no-header --width=0 \
        --filter=domain=$domain >"$scratch/code-$domain.annotate"
done
make diff-waits diff-waits
# A function that calls 130 others.
awk 'BEGIN {
    print "domain 10 1 passive web\nplace caller 1 user 0x1000 a.out caller 0x1000"
    for (i = 1; i <= 130; i++) {
        print "place p" i, 1, "user", 8192 * i, "a.out callee_" i, 8192 * i
        print "stack s" i, "p" i, "caller"
        print "sample 10.1 1.0 1 user p" i, "stack=s" i, "count=" i
    }
    print "close 11"
}' >"$scratch/wide.session"
"$build/tests/golden/make-session" "$scratch/wide.session" "$scratch/wide/"
report wide
# Three functions that call 80 others each.
awk 'BEGIN {
    print "domain 10 1 passive web"
    for (c = 1; c <= 3; c++) {
        print "place caller" c, 1, "user", 4096 * c, "a.out caller_" c, 4096 * c
        for (i = 1; i <= 80; i++) {
            p = 100 * c + i
            print "place p" p, 1, "user", 8192 * p, "a.out callee_" p, 8192 * p
            print "stack s" p, "p" p, "caller" c
            print "sample 10.1 1.0 1 user p" p, "stack=s" p, "count=" i
        }
    }
    print "close 11"
}' >"$scratch/many.session"
"$build/tests/golden/make-session" "$scratch/many.session" "$scratch/many/"
report many
# A host of 2 pCPUs whose reader was late: of web no sample was read for four
# seconds, of all one in ten for ten seconds, and of db none at all.  Xen's account
# is of seconds that begin elsewhere than Xen's own.
awk 'function busy(vcpu, s) { return (vcpu * 10 + 5 + s * (7 + vcpu) % 29) / 100 }
function wait(at, span, s) {
    for (v = 0; v < 4; v++)
        print "wait", at, name[v], "span=" span, "running=" span * busy(v, s)
}
BEGIN {
    split("0.0 0.1 1.0 2.0", names)
    for (v = 0; v < 4; v++)
        name[v] = names[v + 1]
    print "domain 100.3 0 dom0 Domain-0"
    print "domain 100.3 1 passive web"
    print "domain 100.3 2 passive db"
    for (v = 0; v < 3; v++)
        for (p = 0; p < 5; p++) {
            at = 16 * (10 * v + p)
            print "place p" v p, v == 2, p % 2 ? "user" : "kernel", 65536 + at,
                (p % 2 ? "a.out" : "vmlinux"), "f_" v "_" p, 65536 + at
        }
    for (s = 0; s < 40; s++)
        for (v = 0; v < 3; v++) {
            count = int(60 * busy(v, s) / 5)
            if (v == 2 && s >= 10 && s < 14)
                count = 0
            if (s >= 20 && s < 30)
                count = s % 3 ? 0 : 1
            for (p = 0; p < 5 && count; p++)
                printf "sample %.3f %s %d %s p%d%d count=%d every=0.01\n",
                    100.35 + s + p / 7, name[v], v % 2, p % 2 ? "user" : "kernel",
                    v, p, count + p
        }
    for (p = 0; p < 2; p++)
        print "idle 100.3", p, 7
    wait("100.8", 0.5, 0)
    for (s = 1; s < 40; s++)
        wait(100.8 + s, 1, s)
    wait("140.3", 0.5, 40)
    for (s = 0; s < 40; s++)
        for (p = 0; p < 2; p++)
            print "idle", 101.3 + s, p, 7 + (s + 1) * 0.3
    print "close 140.3"
}' >"$scratch/bursts.session"
"$build/tests/golden/make-session" "$scratch/bursts.session" "$scratch/bursts/"
report bursts
for range in 0..40 0..10 10..20 20..30 30..40 3.2..9.85 10..14 11..13 12.5..12.9 \
    24.1..24.9; do
    for view in "" --waits; do
        "$program" --session="$scratch/bursts" --json $view \
            --filter=time=$range >"$scratch/bursts$view-$range.json"
    done
done
# A host of 64 pCPUs, on which 125 domains with 8 vCPUs each run: a third of the vCPUs
# are busy, the others now and then.
awk 'BEGIN {
    for (d = 0; d < 125; d++)
        print "domain", 100, d, (d ? "passive guest-" d : "dom0 Domain-0")
    for (d = 0; d < 125; d++)
        for (f = 1; f >= 0; f--) {
            print "place p" d "." f, d, f ? "user" : "kernel", 65536 + 16 * f,
                f ? "a.out" : "vmlinux", "f_" d % 9 "_" f, 65536 + 16 * f
            print "stack s" d "." f, "p" d "." f, "p" d ".1"
        }
    for (p = 0; p < 64; p++)
        print "idle 100", p, 0
    for (s = 0; s < 20; s++) {
        for (v = 0; v < 1000; v++) {
            busy = v % 3 ? (v * 7 + s) % 10 / 100 : 0.12 + (v + s) % 7 / 100
            for (i = 0; busy > 0.05 && i < 2; i++)
                print "sample", 100.1 + s + i / 4, int(v / 8) "." v % 8, (v + s) % 64,
                    (i ? "user" : "kernel"), "p" int(v / 8) "." i,
                    "stack=s" int(v / 8) "." i, "count=" 1 + v % 3
            print "wait", 101 + s, int(v / 8) "." v % 8, "span=1 running=" busy,
                "runnable=" busy / 4
        }
        for (p = 0; p < 64; p++)
            print "idle", 101 + s, p, (s + 1) * 0.1
    }
    print "close 120"
}' >"$scratch/wide-host.session"
"$build/tests/golden/make-session" "$scratch/wide-host.session" "$scratch/wide-host/"
report wide-host
# Xen runs for two guests, each second for something else, and Xen has an account of
# each second.
awk 'BEGIN {
    print "domain 100 1 passive web\ndomain 100 2 passive db\nidle 100 0 0\nidle 100 1 0"
    split("do_iret do_mmu_update hvm_vmexit_cpuid do_event_channel_op", function_of)
    for (f = 1; f <= 4; f++)
        for (d = 1; d <= 2; d++)
            print "place p" f d, d, "xen", 65536 * f, "xen", function_of[f], 65536 * f
    print "place u1 1 user 4096 a.out main 4096\nplace u2 2 user 4096 a.out main 4096"
    for (s = 0; s < 10; s++) {
        for (d = 1; d <= 2; d++) {
            print "sample", 100.2 + s, d ".0", d - 1, "xen p" (s * d) % 4 + 1 d, "count=" 3 + s
            print "sample", 100.6 + s, d ".0", d - 1, "xen p" (s + d) % 4 + 1 d, "count=" 4 + d
            print "sample", 100.7 + s, d ".0", d - 1, "user u" d, "count=" 10
            print "wait", 101 + s, d ".0", "span=1 running=" 0.4 + s / 20
        }
        for (p = 0; p < 2; p++)
            print "idle", 101 + s, p, (s + 1) * 0.6 - s * (s + 1) / 40
    }
    print "close 110"
}' >"$scratch/reasons.session"
"$build/tests/golden/make-session" "$scratch/reasons.session" "$scratch/reasons/"
report reasons
for part in "" time=2..5 domain=web; do
    "$program" --session="$scratch/reasons" --why --json ${part:+"--filter=$part"} \
        >"$scratch/reasons${part:+-${part#*=}}-why.json"
done
if [ "$node" != none ]; then
    "$node" "$here/tests/page/selection-session.js" >"$scratch/select.session"
    "$build/tests/golden/make-session" "$scratch/select.session" "$scratch/select/"
    report select
fi
# Page tables of db keep Xen busy from the 15th second to the 35th, and web all the time.
awk 'BEGIN {
    print "fact 100 pcpus 2\ndomain 100 0 dom0 Domain-0\ndomain 100 1 passive web\ndomain 100 2 passive db"
    split("do_iret do_mmu_update", function_of)
    for (d = 1; d <= 2; d++) {
        print "place x" d, d, "xen", 65536 * d, "xen", function_of[d], 65536 * d
        print "place k" d, d, "kernel", 4096, "kernel", "kernel_of_" d, 4096
    }
    for (p = 0; p < 2; p++)
        print "idle 100", p, 0
    for (s = 0; s < 40; s++) {
        busy = s >= 15 && s < 35
        print "sample", 100.2 + s, "1.0 0 xen x1 count=" 2 + s % 2 "\nsample", 100.3 + s, "1.0 0 kernel k1 count=6"
        print "sample", 100.2 + s, "2.0 1 xen x2 count=" 1 + busy * (30 + s % 3) "\nsample", 100.3 + s, "2.0 1 kernel k2 count=4"
        print "wait", 101 + s, "1.0 span=1 running=0.4\nwait", 101 + s, "2.0 span=1 running=" 0.1 + busy * 0.7
        idle += 1.5 - busy * 0.7
        for (p = 0; p < 2; p++)
            print "idle", 101 + s, p, idle / 2
    }
    print "close 140"
}' >"$scratch/task.session"
"$build/tests/golden/make-session" "$scratch/task.session" "$scratch/task/"
report task
# All that a page can have, but for code: threads, what guests are in Xen for, who
# waited, what stands out, and what happened, on a host of several guests.
awk '$1 == "sample" && $5 == "xen" && $6 ~ /^(p2m|vmx)$/ { $0 = $0 " entry=svm:0x400" }
$1 == "sample" && $5 == "user" { $0 = $0 " thread=" ($3 < 2 ? "900:901:nginx" : "812:812:postgres") }
$1 == "domain" && $3 == 7 {
    split("3 4 5 6", others)
    for (i = 1; i <= 4; i++) {
        print "domain 100", others[i], "passive guest-" i
        print "place ret" i, others[i], "xen", 65536, "xen do_iret", 65536
        print "place ker" i, others[i], "kernel", 131072, "kernel vfs_read", 131072
        print "place use" i, others[i], "user", 262144, "user\nstack ret" i, "ret" i, "ker" i
    }
}
$1 == "ring" {
    for (s = 1; s <= 30; s++) {
        print "wait", 100 + s, "1.0 running=0.3 runnable=" 0.1 + s % 7 / 20
        print "wait", 100 + s, "1.1 running=0.2 runnable=0.1\nwait", 100 + s,
            "2.0 running=0.5 device=0.2\nwait", 100 + s, "0.0 running=0.4"
        for (i = 1; i <= 4; i++) {
            at = 99.5 + s " " others[i] ".0 " i - 1
            print "sample", at, "xen ret" i " stack=ret" i " count=40 hz=200"
            print "sample", at, "user use" i " count=60 hz=200"
        }
        print "cost", 100 + s, "0.2 0.1"
    }
    print "domain 115 8 passive late"
}
{ print }' "$here/doc/pictures/example.session" >"$scratch/rich.session"
"$build/tests/golden/make-session" "$scratch/rich.session" "$scratch/rich/"
report rich
for range in 0..5 5..10; do
    "$program" --session="$scratch/times" --folded --filter=time=$range \
        >"$scratch/times-$range.folded"
done
"$program" --session="$scratch/times" --folded >"$scratch/times.folded"
"$program" --session="$scratch/bursts" --folded --filter=time=10..20 \
    >"$scratch/bursts-10..20.folded"
"$program" --session="$scratch/times" --diff --before=0..5 --after=5..10 --json \
    >"$scratch/times-diff.json"
"$program" --session="$scratch/times" --diff --before=0..5 --after=5..10 --json --why \
    >"$scratch/times-why-diff.json"
"$program" --session="$scratch/times" --diff --before=0..5 --after=5..10 --json \
    --filter=mode=xen >"$scratch/times-xen-diff.json"
"$program" --session="$scratch/bursts" --diff --before=3.2..17 --after=20..35.5 \
    --json >"$scratch/bursts-diff.json"
"$program" --session="$scratch/why" --why --json >"$scratch/why-why.json"
"$program" --session="$scratch/types" --event=cycles --json \
    >"$scratch/types-cycles.json"
"$program" --session="$scratch/chains" \
    --flamegraph="$scratch/chains.svg"
"$program" --session="$scratch/torn" \
    --flamegraph="$scratch/torn.svg"
"$program" --session="$scratch/basic" --filter=domain=0 \
    --html="$scratch/basic-dom0.html"
for name in $([ "$node" = none ] || "$node" "$here/tests/cli/hostile-names-session.js"); do
    "$node" "$here/tests/cli/hostile-names-session.js" "$name" >"$scratch/hostile.session"
    "$build/tests/golden/make-session" "$scratch/hostile.session" "$scratch/hostile-$name/"
    "$program" --session="$scratch/hostile-$name" \
        --html="$scratch/hostile-$name.html"
    "$program" --session="$scratch/hostile-$name" \
        --flamegraph="$scratch/hostile-$name.svg"
done
for side in before:diff after:diff-after; do
    "$build/tests/golden/make-session" \
        "$here/tests/golden/report/${side#*:}.session" "$scratch/${side%:*}/"
done
"$program" --diff "$scratch/before/" "$scratch/after/" \
    --html="$scratch/diff.html"
for count in $(echo "$stacks" | tr , ' '); do
    "$build/bench/stack-session" "$scratch/stacks-$count/" "$count" \
        $((count * 10 > 1000 ? count * 10 : 1000))
    report "stacks-$count"
done
if [ "$node" = none ]; then
    echo "1..1"
    echo "ok 1 - pages are made"
    exit 0
fi
# What ./check --deps has from npm.
npm=${XENOPROF_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/xenoprof}/npm
AXE_HERE=$npm/node_modules/axe-core/axe.min.js
export AXE_HERE
XENOPREPORT_HERE=$program MAKE_SESSION_HERE=$build/tests/golden/make-session \
    "$node" "$here/tests/page/run.js" "$browser" "$scratch" "$stacks"
