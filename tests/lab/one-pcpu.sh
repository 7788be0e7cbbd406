# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a host of one pCPU: a guest's time in Xen is the guest's, not the profiler's
# boot: one
# limit: 900
# long: yes

sample_entries cpuids
at_least "thousandths of cpuids' samples in Xen with an entry" \
    "$(entries_known cpuids)" 900
at_least "of cpuids' entries, in thousandths, that were CPUID" \
    "$(entry_share cpuids '^exit cpuid$')" 900
must xenopreport --why
profiler=$(echo "$said" | sed -n 's/^ *\([0-9]*\)\.[0-9]* *% .*the profiler itself.*/\1/p')
at_most "percent of all that are called the profiler" "${profiler:-0}" 10
echo "$said"
must xenopreport --header
says "one pCPU samples itself"
echo "$said"
