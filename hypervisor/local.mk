# SPDX-License-Identifier: GPL-2.0-or-later
# The core.  A port compiles core_sources the way it needs them; here they are
# built to run in an ordinary process, with the fake host of tests/host.
check_LIBRARIES += hypervisor/libcore.a
hypervisor_libcore_a_SOURCES = $(core_sources) $(host_sources)

# Built in Xen's tree alone (intree/apply).
EXTRA_DIST += $(intree_sources)
