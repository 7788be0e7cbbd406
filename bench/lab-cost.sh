#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What sampling costs on a real Xen, in instructions, which the lab's QEMU counts
# (-icount): one instruction is 2^SHIFT ticks of the TSC.  A loop on each of
# dom0's vCPUs is timed with sampling off and on (997 Hz) in turn.  What the
# loops lose, divided by the samples, is the whole price of a sample: tick, IPI,
# NMI, both halves, softirq.
#
#   bench/lab-cost.sh [--host HOST] [--shift N] [--cpus N] [--mask PARTS]
#                     [--turns N]
#
# Takes some minutes.  The host has two pCPUs, each of which ticks for the other;
# with more, a tick serves several.  PARTS is a sum of bits of
# include/xenoprof/record-parts.def, 3 by default.  The share is given for 1 G
# instructions a second; a virtual second has only 10^9 / 2^SHIFT of them.  The
# exit status is 1 if a sample takes more than 3700 instructions.
set -euo pipefail
cd "$(dirname "$0")/.."
host=debian12 shift=3 cpus=2 mask=3 turns=6
while [ $# -gt 0 ]; do
    case $1 in
    --host) host=$2; shift 2 ;;
    --shift) shift=$2; shift 2 ;;
    --cpus) cpus=$2; shift 2 ;;
    --mask) mask=$2; shift 2 ;;
    --turns) turns=$2; shift 2 ;;
    *) sed -n '3,17s/^# \?//p' "$0"; exit 2 ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -O2 -static -D_GNU_SOURCE -o "$work/spin" bench/{spin,lab-door}.c
echo "shift=$shift mask=$mask turns=$turns" >"$work/options"
lab/lab run --host "$host" --cpus "$cpus" --icount "$shift" --timeout 1500 \
    --xen-option dom0_vcpus_pin --put "$work/spin:/root/spin" \
    --put "$work/options:/root/options" \
    bench/lab-cost-dom0.sh "$work/out" ||
    { cat "$work/out/output"; exit 1; }
cat "$work/out/output"
