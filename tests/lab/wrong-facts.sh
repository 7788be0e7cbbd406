# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: each wrong fact is refused by its name, or does no harm
# loads: yes
# boot: main
# long: yes
# guests: pv1
# limit: 840

find_own_module
cp "$kept" /tmp/kept

pv1=$(xl domid pv1)
uuid=$(xl vm-list | awk -v id="$pv1" '$2 == id { print $1 }')

# Samples with all parts, while a guest works. With a wrong fact the module may
# refuse to begin and say why; what is checked is that nothing is harmed. There is
# no daemon, since its work would be the same each time.
sample() {
    must door_command reserve sampler=nmi frequency=250 mask=31 pages=256 \
        queue=0 lease=0 budget=0
    must door_command domain id=0 vcpus=2 \
        uuid=00000000000000000000000000000000 kind=active
    must door_command domain id="$pv1" vcpus=1 uuid="$uuid" kind=passive
    try door_command start
    echo "  start: $status $said"
    [ $status != 0 ] || more_samples 80
    must door_command stop
    must door_command reset
    must xenopctl --deinit
    [ "$(xl list pv1 | awk 'NR == 2 { print $5 ~ /[scd]/ }')" = 0 ] ||
        fail "pv1 did not survive"
}

# The fact that the module's last word on Xen's console names.
named_wrong() {
    xl dmesg | grep 'xenoprof: ' | tail -n 1 |
        sed -n 's/.*xenoprof: fact \([a-z_0-9]*\) is wrong.*/\1/p'
}

# xenopctl would make the module anew (damaged-module.sh), so it is loaded past it.
refused_by_name=0 harmless=0 number=0
each=$(repeats 4 1) # not every one but with --long: each takes some seconds
for fact in $(break-fact); do
    number=$((number + 1))
    [ $((number % each)) = 0 ] || continue
    cp /tmp/kept /tmp/xenoprof.livepatch
    must break-fact /tmp/xenoprof.livepatch "$fact" 8
    [ "$said" != absent ] || continue
    put_in xenoprof
    if xenhypfs tree | grep -q xenoprof; then
        echo "$fact: the module cannot see that it is wrong; sampling with it"
        sample
        harmless=$((harmless + 1))
    else
        named=$(named_wrong)
        [ -n "$named" ] || fail "Xen's console names no fact; $fact is wrong"
        [ "$named" = "$fact" ] || echo "$fact is wrong, and $named was named"
        refused_by_name=$((refused_by_name + 1))
        must xenopctl --deinit
        loaded xenoprof && fail "the module stayed, with a wrong $fact"
    fi
done

# xenopctl passes on what the module said.
cp /tmp/kept "$kept"
must break-fact "$kept" domain_domain_id 8
must flip-module "$kept" seal
must xenopctl --setup
says 'did not load [(].*fact [a-z_]+ is wrong.*[)]; it was made anew'
must xenopctl --deinit
echo "refused: $refused_by_name; without harm: $harmless"
at_least "facts that were refused by name" $refused_by_name $((13 / each))
