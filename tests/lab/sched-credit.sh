# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: under another scheduler than credit2 all is sampled, too
# boot: credit
# long: yes

equal "Xen's scheduler" "$(xl info xen_scheduler)" credit
must xenopctl --check
says 'scheduling +yes'
must xenopctl --start --passive-domains=pv1,test64
hypercall-loop 300 >/dev/null &
loop=$!
more_samples 1000
kill $loop
stop_and_check
equal "the sampler" "$(text /tmp/status name)" nmi
at_least "samples in Xen" "$(samples /tmp/report 'mode == "xen"')" 100
for guest in Domain-0 pv1 test64; do
    at_least "samples in the kernel of $guest" \
        "$(samples /tmp/report "name == \"$guest\" && mode == \"kernel\"")" 20
done
