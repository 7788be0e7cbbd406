#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a whole sample takes from its guest, one by one: a guest reads the TSC in
# a tight loop, and where the lab's QEMU counts instructions (-icount), one to
# 2^SHIFT ticks, a gap between two readings is the number of instructions that
# somebody else executed. The gaps that are there with sampling on (997 Hz), and
# not with it off, are samples: the timer's interrupt, tick, IPI, NMI, both
# halves, softirq, way back. The host has one pCPU, so that all of that is in
# one gap; a second one's instructions would be counted with those of the first.
#
#   bench/sample-gaps.sh [--host H] [--shift N] [--turns N]
#
# Some minutes. The guests are our PVH test kernel, whose samples have windows
# of a kernel's stack, and a process of dom0, which is a PV guest, as an active
# domain, with windows of the process's stack. `others` are gaps with sampling
# off in the same time. Beside that, how long `xenctx -S` keeps the test kernel
# paused for one stack.
#
# Exit status 1 if a bound is exceeded: a sample with registers from the tick to
# its record 4000 instructions (median) and 8000 (99th percentile), which is the
# gap without Xen's timer interrupt, its softirqs and the way back, on average;
# the second half with a window of a PV guest 1500, 1 for each 4 bytes and 2500
# if it ends at a page that is not there; what a window of other guests adds
# 1000 for each page and 1 for each 4 bytes; fifty samples with a stack a pause
# by xenctx.
set -euo pipefail
cd "$(dirname "$0")/.."
host=debian12 shift=2 turns=10
while [ $# -gt 0 ]; do
    case $1 in
    --host) host=$2; shift 2 ;;
    --shift) shift=$2; shift 2 ;;
    --turns) turns=$2; shift 2 ;;
    *) sed -n '3,27s/^# \?//p' "$0"; exit 2 ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -O2 -static -D_GNU_SOURCE -I. -o "$work/gap-load" \
    bench/{gap-load,lab-door}.c lab/test-kernel/gaps.c
gcc -O2 -shared -fPIC -D_GNU_SOURCE -o "$work/pause-time.so" bench/pause-time.c
echo "turns=$turns" >"$work/options"
echo 'gaps pvh 1 32 kernel:test64 gaps' >"$work/guests"
out=${OUTDIR:-$work/out}
lab/lab run --host "$host" --cpus 1 --icount "$shift" --timeout 1500 \
    --guests "$work/guests" --put "$work/gap-load:/root/gap-load" \
    --put "$work/pause-time.so:/root/pause-time.so" \
    --put "$work/options:/root/options" \
    bench/sample-gaps-dom0.sh "$out" ||
    { cat "$out/output"; exit 1; }
bench/sample-gaps-table.sh "$out" "$shift"
