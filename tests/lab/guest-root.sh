# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: programs of passive guests have names and callers, by their file systems
# boot: agents
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
refused 12 "is for no domain" xenopctl --start --passive-domains=agent-pv \
    --guest-root=nobody:$root
must xenopctl --start --passive-domains=agent-pv,agent-pvh \
    --guest-root="agent-*:$root" --stacks=xen,kernel,user
began=$(date +%s)
wait_for 120 "the agents of both guest roots to be asked" agents_are_present
readers 2 || fail "not two processes read guest roots: $(ps | grep opagent)"
wait_for 250 "chains of both guests" agents_are_settled
after=$(($(date +%s) - began))
wait_for 250 "200 samples of both guests once all is known" agents_have_enough
for guest in $guests; do
    # shellcheck disable=SC2046
    set -- $(agent_chains $guest)
    echo "$guest: $1 of $3 samples of known-stacks have the right chain, $2 are whole"
    sort -k2 "/tmp/folded-$guest" | head -20
    at_least "of $guest's whole chains, right ones, in hundredths" \
        $(($1 * 100 / ($2 + !$2))) 97
    at_least "of all, right ones, in hundredths" $(($1 * 100 / $3)) 70
done
must xenopctl --status
echo "$said" | grep -A 12 '^agents'
stop_and_check
wait_for 30 "the readers of guest roots to end with the session" readers 0
rm -r $root
