# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: a module made for another build of Xen is refused, with that reason
# boot: plain

other=0123456789012345678901234567890123456789

find_own_module
cp "$kept" /tmp/kept

must payload-ids "$kept" - - $other
refused 9 'Xen refused the module' xenopctl --setup
loaded xenoprof && fail "the refused module is still uploaded"
xenhypfs tree | grep -q xenoprof && fail "there is a door all the same"

cp /tmp/kept "$kept"
must payload-ids "$kept" - $other -
refused 9 'Xen refused the module' xenopctl --setup

# --start says the same, and leaves nothing behind.
refused 9 'Xen refused the module' xenopctl --start
[ -z "$(daemon_pid)" ] || fail "a daemon runs after a refused --start"

# A file that is not a module.
head -c 1000 /tmp/kept >"$kept"
refused 9 'Xen refused the module' xenopctl --setup

# A module that is made anew works.
rm "$kept"
must xenopctl --setup
must xenopctl --deinit
