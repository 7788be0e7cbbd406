# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: an Intel processor: a PVH guest by VMX is sampled, with its exits by name
# boot: vmx
# limit: 1800
# long: yes

found() {
    awk -v key="$1:" '$1 == key { print $2 }' /tmp/chains
}

must xenopctl --start --passive-domains=cpuids --frequency=397
wait_for 900 "10,000 samples" door_at_least made 10000
stop_and_check

report_json /tmp/entries --sort=domain,entry --filter=mode=xen
echo "cpuids: $(entries cpuids | tr '\n' ',')"
at_least "samples of cpuids in Xen" "$(entries cpuids | awk '{ sum += $1 } END { print sum + 0 }')" 1000
at_least "thousandths of cpuids' samples in Xen with an entry" "$(entries_known cpuids)" 700
at_least "of cpuids' entries, in thousandths, that were CPUID" \
    "$(entry_share cpuids '^exit cpuid$')" 900

cp /tests/payloads/show-code.livepatch /tmp/
must payload-ids /tmp/show-code.livepatch \
    3333333333333333333333333333333333333333 "$(xen_build)" "$(xen_build)"
put_in show-code --nodeps
check-chains "$sessions/current" "$(cat /tests/own-module)" >/tmp/chains ||
    fail "the chains cannot be checked"
take_out show-code
cat /tmp/chains
at_least "chains of Xen" "$(found deep)" 1000
at_most "chains of Xen that reached no root" "$(found truncated)" "$(($(found deep) / 1000))"
equal "return addresses that are not behind a call" "$(found bad)" 0
must xenopreport --why
echo "$said"
