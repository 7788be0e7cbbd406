# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: programs of passive guests have names and callers, by their file systems
# boot: roots
# long: yes
# usually: debian13
# limit: 900

# The guests' own agents are not asked: their programs' files are read in dom0.
guests='agent-pv agent-pvh'
root=/tmp/guest-root

readers() {
    [ "$(ps | grep -c '[{]opagent-root}')" = "$1" ]
}

mkdir -p $root/usr/bin
cp /tests/bin/known-stacks-static $root/usr/bin/known-stacks
chmod -R go+rX $root
after=0
refused 12 "matches no domain" xenopctl --start --passive-domains=agent-pv \
    --guest-root=nobody:$root
must xenopctl --start --passive-domains=agent-pv,agent-pvh \
    --guest-root="agent-*:$root" --stacks=xen,kernel,user
began=$(date +%s)
wait_for 120 "the agents of both guest roots to be asked" agents_are_present
readers 2 || fail "not two processes read guest roots: $(ps | grep opagent)"
judge_agents
stop_and_check
wait_for 30 "the readers of guest roots to end with the session" readers 0
rm -r $root
