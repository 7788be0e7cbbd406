# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: livepatches below and above the module, hotfix and replace all work
# loads: yes
# boot: plain
# usually: debian12
# limit: 480

xen=$(xen_build)
below=1111111111111111111111111111111111111111
above=2222222222222222222222222222222222222222

# Below: the module goes on top of the other payload, and says so.
make_payload bare below $below "$xen"
put_in below
must xenopctl --start
more_samples 50
must xenopctl --dump
must xenopreport --table --width=0
says 'below [(]below the profiler'

# Between: another payload goes on top of the module.
make_payload bare above $above "$xen"
put_in above --nodeps
must xenopctl --status
says "payload 'above' lies above the module"
status_json /tmp/status
equal "the payload above" "$(text /tmp/status payload_above)" above
more_samples 50
must xenopctl --stop
must xenopctl --shutdown
refused 10 'livepatch above lies above the module' xenopctl --deinit
loaded xenoprof || fail "the module is gone, though --deinit was refused"
take_out above
must xenopctl --deinit
# It looks at the module for the top, not at one for a bare Xen.
must xenopctl --check
says 'module +yes +kept from an earlier --setup'
take_out below

# A hotfix for this hypervisor goes on top of the module while it samples at
# 997 Hz. The hotfix depends on the hypervisor's build-id, and needs no option.
must xenopctl --start --frequency=997 --stacks=xen
more_samples 300
make_payload bare hotfix $above "$xen"
put_in hotfix
more_samples 300
must xenopctl --stop
status_json /tmp/status
check_status /tmp/status
must xenopreport --table --width=0
says 'hotfix [(]above the profiler'
must xenopctl --shutdown
refused 10 'hotfix' xenopctl --deinit
take_out hotfix
must xenopctl --deinit

# `replace`, with which vendors ship cumulative fixes, reverts all payloads.
must xenopctl --setup
must door_command reserve sampler=nmi frequency=997 mask=3 pages=16 queue=50 \
    lease=0 budget=0
must door_command start
more_samples 300
make_payload bare cumulative $above "$xen"
must xen-livepatch upload cumulative /tmp/cumulative.livepatch
must livepatch replace cumulative
xenhypfs tree | grep -q '^ *xenoprof' && fail "the door outlived the module"
must xen-livepatch list
echo "$said" | grep cumulative | grep -q APPLIED ||
    fail "the cumulative fix is not applied: $said"
echo "$said" | grep -w xenoprof | grep -q APPLIED &&
    fail "the module is still applied: $said"
must xenopctl --status
says unloaded
take_out cumulative
must xen-livepatch unload xenoprof
