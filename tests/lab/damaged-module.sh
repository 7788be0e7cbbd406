# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a damaged module is made anew; with a right checksum it does no harm
# loads: yes
# boot: plain
# usually: debian13
# limit: 600

find_own_module
cp "$kept" /tmp/kept

# Cut short, so its checksum is wrong: Xen never sees it.
head -c 100000 /tmp/kept >"$kept"
must xenopctl --start
says 'note: the module that was kept for this hypervisor was damaged, or cut short; it was made anew'
more_samples 50
must xenopctl --deinit

# The checksum is right, and code is not that of the installed object: Xen does not
# see this either. The next --setup finds nothing to mend.
must flip-module "$kept" code 7
echo "$said"
must flip-module "$kept" seal
must xenopctl --setup
says 'note: the module that was kept for this hypervisor was not as this xenoprof makes it; it was made anew'
must xenopctl --deinit
must xenopctl --setup
[ -z "$said" ] || fail "--setup took the module made anew, and said: $said"
must xenopctl --deinit

# The same kinds of damage, loaded by hand past xenopctl, where it is Xen's
# loader or the load hook that decides: the head (but for where the sections are),
# the notes, the names of symbols, the facts, the table. What the processor would
# run, code and what is relocated in it, is left alone: no check could help. Nothing
# is sampled with a fact or a table that is wrong; wrong-facts.sh does that for facts.
by_hand() {
    cp /tmp/kept /tmp/xenoprof.livepatch
    must flip-module /tmp/xenoprof.livepatch "$1" "$2"
    what=$said
    if ! xen-livepatch upload xenoprof /tmp/xenoprof.livepatch \
        >/tmp/said 2>&1; then
        outcome="not uploaded"
        return
    fi
    if ! livepatch apply xenoprof >/tmp/said; then
        must xen-livepatch unload xenoprof
        outcome="not applied"
        return
    fi
    outcome="no door"
    if xenhypfs tree | grep -q xenoprof; then
        outcome=loaded
        [ "$1" != table ] || check_table
    fi
    must xenopctl --deinit
}

# The module looks at its table when a session is made ready.
check_table() {
    try door_command reserve sampler=nmi frequency=97 mask=31 pages=16 \
        queue=50 lease=0 budget=0
    outcome="loaded, its table refused"
    if [ $status = 0 ]; then
        outcome="loaded, its table taken"
        must door_command reset
    fi
}

seed=0 refused=0
while [ $seed -lt "$(repeats 10 200)" ]; do
    for part in head notes names facts table; do
        by_hand $part $seed
        echo "seed $seed: $what: $outcome"
        case $outcome in not* | no*) refused=$((refused + 1)) ;; esac
        loaded xenoprof && fail "seed $seed: the module is still there"
        xenhypfs tree | grep -q xenoprof &&
            fail "seed $seed: the door outlived the module"
        seed=$((seed + 1))
    done
done
echo "refused: $refused of $seed; the others did no harm"
at_least "modules that were refused" $refused 2
