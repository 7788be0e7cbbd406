# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: the module can be loaded and unloaded many times, also while it samples
# loads: yes
# boot: plain
# usually: debian13
# limit: 480
# memory: changes

before=$(free-pages)
tree=$(xenhypfs tree)

same_as_before() {
    [ "$(free-pages)" = "$before" ]
}

check_gone() {
    loaded xenoprof && fail "round $1: the module is still there"
    [ "$(xenhypfs tree)" = "$tree" ] ||
        fail "round $1: hypfs is another than before: $(xenhypfs tree)"
    holds 5 same_as_before ||
        fail "round $1: Xen had $before pages free, and has $(free-pages)"
}

round=0
loads=$(repeats 8 20)
while [ $round -lt "$loads" ]; do
    round=$((round + 1))
    must xenopctl --setup
    xenhypfs tree | grep -q xenoprof || fail "there is no door"
    must xenopctl --deinit
    check_gone $round
done

# Somebody else unloads the module while it samples. No daemon maps the rings, so
# all their pages come back.
loads=$((loads + $(repeats 6 10)))
while [ $round -lt "$loads" ]; do
    round=$((round + 1))
    must xenopctl --setup
    # Nobody reads: what is waited for fits into the rings, or Xen samples less.
    must door_command reserve sampler=nmi frequency=997 mask=3 pages=64 \
        queue=50 lease=0 budget=0
    must door_command domain id=0 vcpus=2 \
        uuid=00000000000000000000000000000000 kind=passive
    must door_command start
    more_samples 300
    take_out xenoprof
    check_gone $round
done

# The same while the daemon reads: the daemon notices, closes the session with
# all that was in the rings, and the next --start begins another session.
noticed() {
    xenopctl --status | grep -q 'unloaded or reset from outside'
}
must xenopctl --start --frequency=997 --stacks=xen
more_samples 300
take_out xenoprof
wait_for 60 "xenoprofd to notice that the module is gone" noticed
report_json /tmp/report
check_report /tmp/report
must xenopctl --stop
must xenopctl --start
more_samples 100
stop_and_check
