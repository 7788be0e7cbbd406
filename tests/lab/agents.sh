# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: programs of active guests have their callers, by the agent in each
# boot: agents
# long: yes
# usually: debian13
# limit: 900

guests='agent-pv agent-pvh'

# relays COUNT: so many processes relay.
relays() {
    [ "$(ps | grep -c '[{]xenoprof-relay}')" = "$1" ]
}

gone() {
    ! xl list "$1" >/dev/null 2>&1
}

after=0
must xenopctl --start --active-domains=agent-pv,agent-pvh
began=$(date +%s)
wait_for 120 "the agents of both guests to be asked" agents_are_present
judge_agents
relays 2 || fail "not two processes relay: $(ps | grep xenoprof-)"

# A guest that is restored is another domain; its agent ends, is started again by
# what the guest has for that, and is asked again.
moved() {
    [ "$(xl domid agent-pv)" != "$first" ] && agent_is agent-pv present && relays 2
}
# dom0's disk is memory, and has room for what is saved of a small guest only.
first=$(xl domid agent-pv)
must xl save agent-pv /tmp/agent-pv.save
must xl restore /tmp/agent-pv.save
rm /tmp/agent-pv.save
wait_for 120 "the agent of the restored guest to be asked" moved
wait_for 30 "Xen to forget the domain that it was" gone "$first"

# Its kernel has nothing to complain about: an oops or a warning would taint it.
taint=$(sed -n 's/.*tainted: \([0-9]*\).*/\1/p' /var/log/xen/guest-agent-pv.log | tail -n 1)
[ -n "$taint" ] || fail "the agent of the restored guest did not end"
[ $((taint & 640)) = 0 ] || fail "the kernel of the restored guest is tainted: $taint"

# A guest that dies is let go: Xen keeps what is left of one as long as dom0 maps any.
first=$(xl domid agent-pv)
must xl destroy agent-pv
wait_for 30 "Xen to forget the guest" gone "$first"
wait_for 30 "its relay to end" relays 1
stop_and_check
wait_for 30 "the other relay to end with the session" relays 0

# The agent goes on, and the next session asks it.
must xenopctl --start --active-domains=agent-pvh
wait_for 120 "the agent to be asked again" agent_is agent-pvh present
stop_and_check
