# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: samples of Xen, dom0 and guests have names, and each is accounted for
# boot: main old next
# limit: 400

ids="$(xl domid pv1) $(xl domid test64)"

must xenopctl --start --passive-domains=pv1,test64
cpu_times
pv_before=$pv pvh_before=$pvh
hypercall-loop 15 >/tmp/calls &
loop=$!
more_samples 1000
wait $loop || fail "the loop of hypercalls failed"
cpu_times
stop_and_check
equal "domains that have rings" \
    "$(rings /tmp/status | awk -F'|' '$3 == "v0" { print $2 }' | sort | tr '\n' ' ')" \
    "Domain-0 pv1 test64 "

at_least "samples in Xen" "$(samples /tmp/report 'mode == "xen"')" 100
at_least "samples in dom0's kernel" \
    "$(samples /tmp/report 'domain == 0 && mode == "kernel"')" 50
at_least "samples in pv1's kernel" \
    "$(samples /tmp/report 'name == "pv1" && mode == "kernel"')" 20
at_least "samples in pv1's user mode" \
    "$(samples /tmp/report 'name == "pv1" && mode == "user"')" 20
at_least "samples in test64's kernel" \
    "$(samples /tmp/report 'name == "test64" && mode == "kernel"')" 100

# Within chance, and what an emulator does to it; shares.sh has it exactly.
accounted=$(((pv - pv_before) * 1000 / (pv - pv_before + pvh - pvh_before)))
pv_time=$(time_us /tmp/report 'name == "pv1"')
pvh_time=$(time_us /tmp/report 'name == "test64"')
sampled=$((pv_time * 1000 / (pv_time + pvh_time)))
echo "pv1 of both guests, in thousandths: Xen's account $accounted, the report $sampled"
at_most "thousandths between the two shares" \
    $((accounted > sampled ? accounted - sampled : sampled - accounted)) 150

# Xen's names are from its own table, those of dom0's kernel from /proc/kallsyms.
at_most "samples in Xen without a name, in thousandths" \
    "$(($(samples /tmp/report 'mode == "xen" && image == "xen" && symbol == "-"') *
        1000 / $(samples /tmp/report 'mode == "xen"')))" 50
at_most "samples in dom0's kernel without a name, in thousandths" \
    "$(($(samples /tmp/report 'domain == 0 && mode == "kernel" && symbol == "-"') *
        1000 / $(samples /tmp/report 'domain == 0 && mode == "kernel"')))" 50

# Xen's work for dom0 is the hypercall that dom0 makes, by what entered Xen: a
# multicall, of whose samples those in the call inside know that.  What it calls,
# and what entry costs, may well cost more than its own function.
report_json /tmp/entries --sort=domain,entry --filter=mode=xen
echo "Domain-0 entered Xen for: $(entries Domain-0 | head -n 8 | tr '\n' ',')"
for entry in multicall xen_version; do
    at_least "samples of dom0 in Xen for $entry" \
        "$(entries Domain-0 | sed -n "s/ hypercall $entry\$//p")" 10
done
for function in do_xen_version do_multicall; do
    at_least "samples of dom0 in $function" \
        "$(samples /tmp/report "domain == 0 && symbol == \"$function\"")" 1
done

# The same in the report for people.
must xenopreport --table --percent-limit=0
says '^samples +[0-9]+ made, [0-9]+ read'
says do_xen_version
