# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a passive guest's own perf.data gives its processes' samples their names
# boot: perf
# long: yes
# hosts: debian12
# limit: 900

# The packages that debian13's perf needs leave no room for a session in dom0.

# The file comes over the guest's console, after "perf: 0".
perf_data() {
    tr -d '\r' </var/log/xen/guest-perf-pv.log |
        sed -n '/^perf: 0$/,/^perf: whole$/p' | sed '1d; $d' | base64 -d | gunzip
}

# in_functions FILE: ms of known-stacks' code in its functions, and in all.
in_functions() {
    awk '{ all += $NF } /;known_[a-z_.]+( \(inlined\))? [0-9]+$/ { named += $NF }
        END { printf "%d %d\n", named / 1e6, all / 1e6 }' "$1"
}

user_code() {
    xenopreport --folded --filter=domain=perf-pv,comm=known-stacks,mode=user "$@" 2>/dev/null
}

is_whole() {
    [ "$(said_by perf-pv '^perf: whole')" = 1 ]
}

must xenopctl --start --passive-domains=perf-pv --stacks=xen,kernel
work_at perf-pv perf
wait_for 400 "perf of the guest to say what it took" is_whole
stop_and_check
perf_data >/tmp/perf.data || fail "the guest's perf.data did not come whole"
echo "perf.data has $(stat -c %s /tmp/perf.data) bytes"

cp /tmp/perf.data "$OUT/"
keep merged
# The files of its programs, where they are in the guest.
cp /tests/bin/known-stacks-static /usr/bin/known-stacks
user_code >/tmp/before
xenopreport --merge=perf-pv:/tmp/perf.data --header 2>&1 | grep -i merge
user_code --merge=perf-pv:/tmp/perf.data >/tmp/after
sort -k2 /tmp/before | head -5
sort -k2 /tmp/after | head -40
# shellcheck disable=SC2046
set -- $(in_functions /tmp/before) $(in_functions /tmp/after)
[ "$1" = 0 ] || fail "$1 ms of a process that nobody looked at have names"
at_least "ms of the guest's known-stacks" "$2" 1000
[ "$2" = "$4" ] || fail "$2 ms became $4"
at_least "of them with their function's name, in hundredths" $(($3 * 100 / $4)) 70
rm /usr/bin/known-stacks
