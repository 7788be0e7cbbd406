#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What each whole sample takes from its guest. A guest reads the TSC in a tight
# loop. Since the lab's QEMU counts instructions (-icount), 2^SHIFT ticks each, a
# gap between two readings is the number of instructions that somebody else
# executed. Gaps that appear only with sampling on (997 Hz) are samples: the
# timer's interrupt, tick, IPI, NMI, both halves, softirq, way back. The host has
# one pCPU, so that all of this is in one gap; QEMU would count a second pCPU's
# instructions together with those of the first.
#
#   bench/sample-gaps.sh [--host H] [--shift N] [--turns N]
#
# Takes some minutes. The guests are our PVH test kernel, whose samples have
# windows of a kernel's stack, and a process of dom0 (a PV guest, profiled as an
# active domain), whose samples have windows of the process's stack. `others` are
# gaps with sampling off in the same time. Beside that: how long `xenctx -S` keeps
# the test kernel paused for one stack.
#
# Exit status 1 if a bound is exceeded, in instructions:
# - a sample with registers, from the tick to its record (the gap without Xen's
#   timer interrupt, its softirqs and the way back, on average): 4000 (median)
#   and 8000 (99th percentile);
# - the second half with a window of a PV guest: 1500, 1 for each 4 bytes, and
#   2500 if the window ends at a missing page;
# - what a window of other guests adds: 1000 for each page, 1 for each 4 bytes;
# - one pause by xenctx must cost as much as fifty samples with a stack.
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
