# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: --event is refused in one sentence on a processor without counters
# boot: main
# long: yes

# The emulator's processor has none, and would swallow each write to a register of
# theirs: the module must know from CPUID alone.
must xenopctl --list-events
says '^cycles .*76'
# By libpfm, which knows the emulator's processor: one of AMD's first of 64 bits.
must xenopctl --list-events=DATA_CACHE_MISSES
says '^ *DATA_CACHE_MISSES '
must xenopctl --setup
refused 9 'this processor has no counters of events' \
    xenopctl --start --event=cycles:100000
# With PVH guests too: what no option helps against comes first.
refused 9 'this processor has no counters of events' \
    xenopctl --start --force=readers --event=cycles,cache-misses:k --event=branches
refused 9 'this processor has no counters of events' \
    xenopctl --start --event=DATA_CACHE_MISSES:100000
refused 9 'this processor has no counters of events' \
    xenopctl --start --event=ibs_op:200000
refused 2 'one of them' xenopctl --start --event=cycles --sampler=timer
refused 2 'list-events' xenopctl --start --event=nosuch:100000
xenhypfs cat /xenoprof/status | grep -q '^state: loaded' ||
    fail "something is left: $(xenhypfs cat /xenoprof/status)"

# Time is sampled as before.
must xenopctl --start --passive-domains=all
more_samples 100
must xenopctl --stop
must xenopctl --deinit
