#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ring-throughput.sh [BUILD]: records a second from the rings into a session.
# Beside it: how many perf record takes from the kernel's ring to a file when
# every system call makes one (needs root; ours are larger, since they have the
# registers).
build=${1:-.}
"$build/bench/ring-throughput" 3 || exit 1

calls=1000000
data=$(mktemp) || exit 1
trap 'rm -f "$data" "$data.old"' EXIT
begin=$(date +%s%N)
said=$(perf record -c 1 -e raw_syscalls:sys_enter -o "$data" -- \
    dd if=/dev/zero of=/dev/null bs=1 count=$((calls / 2)) 2>&1)
end=$(date +%s%N)
captured=$(echo "$said" | sed -n 's/.*(\([0-9]*\) samples).*/\1/p')
if [ -z "$captured" ]; then
    echo "perf record           not measured: $(echo "$said" | tail -n 1)"
    exit 0
fi
lost=$(echo "$said" | sed -n 's/.*lost \([0-9.]*%\).*/\1/p')
bytes=$(wc -c <"$data")
awk -v n="$captured" -v ns=$((end - begin)) -v b="$bytes" \
    -v lost="${lost:-0%}" 'BEGIN {
    printf "perf record, records a second %9.0f   of as many system calls\n", \
        n / ns * 1e9
    printf "perf record, bytes a record   %9.2f   on disk\n", b / n
    printf "perf record, lost             %9s\n", lost
}'
