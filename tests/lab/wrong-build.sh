# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a module made for another build of Xen is refused, and never loaded
# loads: yes
# boot: plain
# usually: debian13

other=0123456789012345678901234567890123456789

find_own_module
cp "$kept" /tmp/kept

# Xen refuses both sorts.
cp /tmp/kept /tmp/xenoprof.livepatch
must payload-ids /tmp/xenoprof.livepatch - - $other
xen-livepatch upload xenoprof /tmp/xenoprof.livepatch &&
    fail "Xen took a module that was made for another Xen"
cp /tmp/kept /tmp/xenoprof.livepatch
must payload-ids /tmp/xenoprof.livepatch - $other -
must xen-livepatch upload xenoprof /tmp/xenoprof.livepatch
livepatch apply xenoprof &&
    fail "Xen applied a module that depends on another build"
must xen-livepatch unload xenoprof
xenhypfs tree | grep -q xenoprof && fail "there is a door all the same"

# Under this build's name, also with a right checksum, it is not even uploaded:
# it is made anew.
must payload-ids "$kept" - - $other
must flip-module "$kept" seal
must xenopctl --setup
says 'kept for this hypervisor was not as this xenoprof makes it; it was made anew'
must xenopctl --deinit

# What was made anew is kept.
must xenopctl --setup
[ -z "$said" ] || fail "--setup took the module made anew, and said: $said"
must xenopctl --deinit
