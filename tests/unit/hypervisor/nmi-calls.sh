#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# Checks which of Xen's functions an NMI may call and how much stack it may take,
# by the compiler's own account of the module.  Xen's handler and ours share 4 KiB
# when an NMI interrupts Xen, or, on AMD while an HVM vCPU is current, what Xen
# has left of its main stack.  So each NMI looks first whether FIRST_HALF_ROOM
# bytes are free.  We may take half of that: the other half is for a machine
# check that comes on top.
room=$(sed -n 's/^#define FIRST_HALF_ROOM \([0-9]*\)u$/\1/p' \
    "$top_srcdir/hypervisor/first-half.h")
limit=$((room / 2))
# Only one locked instruction, and functions that copy memory.
allowed='raise_softirq memcpy memset memcmp'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! echo 'int one;' | $MODULE_CC -fcallgraph-info=su -x c -c -o "$work/x.o" - \
        2>/dev/null; then
    echo "1..0 # SKIP $MODULE_CC has no -fcallgraph-info"
    exit 0
fi
for source in "$top_srcdir"/hypervisor/*.c \
        "$top_srcdir"/hypervisor/pmu/*.c "$top_srcdir"/hypervisor/xen-stack/*.c \
        "$top_srcdir"/hypervisor/port-payload/*.c \
        "$top_srcdir"/hypervisor/port-payload/slots/*.c; do
    lto=$MODULE_LTO
    # Not compiled as one with the others, see hypervisor/port-payload/local.mk.
    case $source in */*-data.c | */notes.c | */thunks.c) lto= ;; esac
    # shellcheck disable=SC2086
    $MODULE_CC $MODULE_CFLAGS $lto -I"$top_srcdir/include" -I"$top_srcdir" \
        -DPACKAGE_VERSION='"0"' -fcallgraph-info=su -c -o "$work/$(basename "$source" .c).o" \
        "$source" || exit 1
done
# What is compiled as one is compiled here.
join=$MODULE_JOIN
[ -z "$MODULE_LTO" ] || join="$join -fcallgraph-info=su"
rm -f "$work/x.o"
$join -o "$work/joined" "$work"/*.o || exit 1

awk -v limit=$limit -v allowed="$allowed" '
    function text(key,   rest) {
        rest = substr($0, index($0, key ": \"") + length(key) + 3)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    # The bytes that this function and all that it calls can take; way[] has the
    # path to the deepest.
    function deepest(name,   i, most, below, callee) {
        if (name in known)
            return known[name]
        if (name in under_way)
            return loops = name
        under_way[name]
        for (i = 0; i < calls[name]; i++) {
            callee = call[name, i]
            below = deepest(callee)
            if (below > most) {
                most = below
                way[name] = callee
            }
        }
        delete under_way[name]
        reached[name]
        known[name] = bytes[name] + most
        return known[name]
    }
    function say(good, title) {
        printf "%sok %d - %s\n", good ? "" : "not ", ++number, title
        failed += !good
    }
    /^node:/ && /bytes \(/ {
        match($0, /[0-9]+ bytes \([a-z,]*\)/)
        split(substr($0, RSTART, RLENGTH), size, " ")
        bytes[text("title")] = size[1]
        ours[text("title")]
        if (size[3] != "(static)") unbounded[text("title")]
    }
    /^edge:/ {
        from = text("sourcename")
        call[from, calls[from]++] = text("targetname")
    }
    END {
        for (name in ours)
            if (name ~ /:taken$/)
                start = name
        most = start ? deepest(start) : 0
        say(start && "xen_stack_walk" in reached, "the way from an NMI is found")
        for (name in reached) {
            if (!(name in ours) && index(" " allowed " ", " " name " ") == 0)
                others = others " " name
            if (name in unbounded)
                sizes = sizes " " name
        }
        say(!others && !loops && !sizes,
            "nothing of Xen that may lock, no call by pointer, no loop of calls")
        if (others loops sizes)
            print "# " others " " loops " " sizes
        say(most <= limit, "an NMI takes at most " limit " bytes of stack")
        print "# " most " bytes:"
        for (name = start; name; name = way[name])
            printf "# %5d %s\n", bytes[name], name
        print "1.." number
        exit failed > 0
    }' "$work"/*.ci
