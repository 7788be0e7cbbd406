# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a fact that was not found costs guests' stacks, and nothing else
# loads: yes
# boot: main
# long: yes
# limit: 400

# As if no recipe had found out who owns a page: no guest's memory can be read.
find_own_module
cp "$kept" /tmp/kept
must break-fact "$kept" page_owner absent
must flip-module "$kept" seal

said_of() {
    says "facts of this Xen about $1 memory were not found: their kernels have no callers"
}

must xenopctl --check
says "guests' stacks +note +[0-9]+ of [0-9]+ .*page_info[.]v[.]inuse[.]_domain"
must xenopctl --setup
said_of "PV guests'"
said_of "HVM and PVH guests'"
must xenopctl --start --passive-domains=pv1
said_of "PV guests'"
must xenopctl --status
said_of "PV guests'"
more_samples 600
stop_and_check

# What the samples have beside stacks is there.
at_least "samples in Xen" "$(samples /tmp/report 'mode == "xen"')" 30
for guest in Domain-0 pv1; do
    kernel_ends $guest /tmp/report >/tmp/ends
    echo "$guest: $(tr '\n' ' ' </tmp/ends)"
    at_least "chains of $guest's kernel that lack facts" \
        "$(awk '$1 == "facts" { print $2 }' /tmp/ends)" 10
    equal "whole chains of $guest's kernel" \
        "$(awk '$1 == "root" { sum = $2 } END { print sum + 0 }' /tmp/ends)" 0
done
must xenopreport --header --width=0
says "are of guests whose memory this Xen's facts do not show"

must xenopctl --shutdown
must xenopctl --deinit
cp /tmp/kept "$kept"
