# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: --setup works after one that was cut short, and beside another --setup
# loads: yes
# boot: plain
# long: yes
# limit: 900

kept() {
    ls "$modules"/*.livepatch
}

must xenopctl --setup
must xenopctl --deinit
module=$(kept)
must xenopctl --check
says 'module +yes +kept'
[ -s "$module" ] || fail "no module is kept in $modules"

# A killed --setup left its probe applied, and its module not yet applied; another
# one the probe's file.
cp "$module" /tmp/xenoprof-probe.livepatch
put_in xenoprof-probe
cp "$module" "$modules/.probe-abcdef"
rm -f "$module"
must xenopctl --check
must xenopctl --setup
case $said in
"callers are known in 99."*" % of Xen's "*) ;;
*) fail "--setup should say what its unwind table covers; it said: $said" ;;
esac
nothing_left() {
    ls -A "$modules" | grep -v '[0-9a-f]\.livepatch$' &&
        fail "$1 left files in $modules"
    loaded xenoprof-probe && fail "$1 left the probe in Xen"
}
nothing_left --setup
must xenopctl --deinit
must xen-livepatch upload xenoprof "$(kept)"
must xenopctl --setup
[ -z "$said" ] || fail "--setup took the kept module, and said: $said"
must xenopctl --deinit

# Others may write here too.
chmod 777 "$modules"
refused 1 "$modules .*only root" xenopctl --setup
chmod 700 "$modules"
chown 1234 "$module"
must xenopctl --setup
must xenopctl --deinit
equal "the owner of a module that was somebody else's" \
    "$(stat -c %u "$module")" 0

# Where no setup has run, --check looks at Xen's code, and leaves nothing.
rm -rf "$modules"
must xenopctl --check
says 'samples +yes +all'
says "Xen's stacks +yes +callers are known in 99[.]"
says "memory +yes +all of it"
loaded xenoprof-probe && fail "--check left the probe"
[ ! -e "$modules" ] || fail "--check made $modules"
[ -z "$(ls -d /tmp/xenoprof.probe-* 2>/dev/null)" ] ||
    fail "--check left the probe's file"

# Two at once, and neither finds a module.
xenopctl --setup >/tmp/first 2>&1 &
first=$!
try xenopctl --setup
wait $first || fail "the other --setup failed: $(cat /tmp/first)"
[ "$status" = 0 ] || fail "--setup beside another failed: $said"
cat /tmp/first
echo "$said"

# A --setup that is killed while its probe is in Xen: --deinit leaves neither its
# file nor the probe.
probe_file() {
    ls "$modules"/.probe-*
}
# The probe's file is there for a moment only, so nothing sleeps meanwhile.
kill_setup() {
    local setup
    rm -f "$module"
    xenopctl --setup >/dev/null 2>&1 &
    setup=$!
    until set -- "$modules"/.probe-* && [ -e "$1" ]; do
        kill -0 $setup 2>/dev/null || fail "--setup never had a probe's file"
    done
    kill -9 $setup
    wait $setup 2>/dev/null
    probe_file >/dev/null || fail "--setup was done before it was killed"
}
must xenopctl --deinit
cp "$module" /tmp/kept
kill_setup
must xenopctl --deinit
nothing_left --deinit
cp /tmp/kept "$module"

# Somebody loads the module by hand, under another name.
must xenopctl --setup
must xenopctl --deinit
cp "$(kept)" /tmp/mine.livepatch
put_in mine
must xenopctl --setup
says 'already loaded'
must xenopctl --start
more_samples 50
must xenopctl --stop
make_payload bare other 2222222222222222222222222222222222222222 "$(xen_build)"
put_in other
refused 1 'loaded by hand, under another name.*: mine other' xenopctl --deinit
take_out other
must xenopctl --deinit
loaded mine && fail "--deinit left the module that was loaded by hand"
xenhypfs tree | grep -q xenoprof && fail "there is still a door"

# Two --start at once: with the same options both are right, with others one is
# refused. Nobody hears of the other's daemon.
two_starts() {
    local first
    xenopctl --start "$1" >/tmp/first 2>&1 &
    first=$!
    try xenopctl --start "$2"
    wait $first && first=0 || first=$?
    echo "$first: $(cat /tmp/first)"
    echo "$status: $said"
    grep -q "another xenoprofd" /tmp/first && fail "the first heard of a daemon"
    case $said in *"another xenoprofd"*) fail "the second heard of a daemon" ;; esac
    equal "the statuses of two --start at once" $((first + status)) "$3"
    must xenopctl --stop
    must xenopctl --shutdown
    must xenopctl --deinit
}
two_starts --frequency=97 --frequency=97 0
two_starts --frequency=50 --frequency=60 11

# Several readers of both leaves at once, while the module samples.
must xenopctl --setup
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
