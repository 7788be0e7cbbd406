# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: --setup works after one that was cut short, and beside another --setup
# boot: plain
# usually: debian12
# limit: 600

kept() {
    ls "$modules"/*.livepatch
}

must xenopctl --setup
must xenopctl --deinit
module=$(kept)
[ -s "$module" ] || fail "no module is kept in $modules"

# A killed --setup left its probe applied, and its module not yet applied.
cp "$module" /tmp/xenoprof-probe.livepatch
put_in xenoprof-probe
rm -f "$module"
must xenopctl --check
must xenopctl --setup
case $said in
"unwind table: 99."*" % of "*" instructions, "*) ;;
*) fail "--setup should say what its unwind table covers; it said: $said" ;;
esac
loaded xenoprof-probe && fail "the probe is still there"
must xenopctl --deinit
must xen-livepatch upload xenoprof "$(kept)"
must xenopctl --setup
[ -z "$said" ] || fail "--setup took the kept module, and said: $said"
must xenopctl --deinit

# Half a module, as an older version could leave when the machine crashed.
: >"$module"
must xenopctl --setup
must xenopctl --deinit
[ -s "$module" ] || fail "the empty module was not made anew"

# Others may write here too.
chmod 777 "$modules"
refused 1 "$modules .*only root" xenopctl --setup
chmod 700 "$modules"
chown 1234 "$module"
must xenopctl --setup
must xenopctl --deinit
equal "the owner of a module that was somebody else's" \
    "$(stat -c %u "$module")" 0

# Two at once, and neither finds a module.
rm -f "$module"
xenopctl --setup >/tmp/first 2>&1 &
first=$!
try xenopctl --setup
wait $first || fail "the other --setup failed: $(cat /tmp/first)"
[ "$status" = 0 ] || fail "--setup beside another failed: $said"
cat /tmp/first
echo "$said"

# Several readers of both leaves at once, while the module samples.
must door_command reserve sampler=nmi frequency=997 mask=3 pages=16 \
    queue=50 lease=0 budget=0
must door_command domain id=0 vcpus=2 \
    uuid=00000000000000000000000000000000 kind=passive
must door_command start
readers='' reads=$(repeats 20 200)
for reader in 1 2 3; do
    (
        round=0
        while [ $round -lt "$reads" ]; do
            round=$((round + 1))
            xenhypfs cat /xenoprof/status >/dev/null
            xenhypfs cat /xenoprof/state >/dev/null
        done
    ) 2>/dev/null &
    readers="$readers $!"
done
# shellcheck disable=SC2086
wait $readers
more_samples 100
must door_command stop
echo "made $(door_number made), committed $(door_number committed)"
must xenopctl --deinit
