# SPDX-License-Identifier: GPL-2.0-or-later
# The hypervisor module: freestanding objects joined into one, which xenopctl
# completes for the running hypervisor.  Not automake's objects, since the
# user's CFLAGS have no say in what runs in Xen.

payload = hypervisor/port-payload

# The first one begins our text.
payload_first = $(payload)/unwind-data.c
probe_parts = $(payload)/probe/probe.c $(payload)/notes.c $(payload)/thunks.c
empty_parts = $(payload)/probe/empty.c $(payload)/notes.c $(payload)/thunks.c

# What xenopctl fills in must not be seen by the compiler, and assembly is not
# for it; all else is compiled as one.
module_apart = $(addprefix $(payload)/,unwind-data.c facts-data.c notes.c \
	thunks.c)

module_parts = $(payload_first) $(filter-out $(payload_first), \
	$(filter %.c,$(core_sources) $(payload_sources)))
module_objects = $(module_parts:.c=.module.o)
probe_objects = $(probe_parts:.c=.module.o)
empty_objects = $(empty_parts:.c=.module.o)

CLEANFILES += $(module_objects) $(module_objects:.o=.d) \
	$(probe_objects) $(probe_objects:.o=.d) \
	$(empty_objects) $(empty_objects:.o=.d) \
	xenoprof-module.o xenoprof-probe.o xenoprof-empty.o

if WITH_XEN
payload_DATA += xenoprof-module.o xenoprof-probe.o xenoprof-empty.o
endif

module_as_one = $(filter-out $(module_apart),$(module_parts))
$(module_as_one:.c=.module.o): module_more = $(MODULE_LTO)

%.module.o: %.c
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(MODULE_CC) $(MODULE_CFLAGS) $(module_more) -I$(top_srcdir)/include -I$(top_srcdir) \
	  -DPACKAGE_VERSION='"$(PACKAGE_VERSION)"' -MMD -MP -c -o $@ $<

xenoprof-module.o: $(module_objects)
	$(AM_V_GEN)$(MODULE_JOIN) -o $@ $(module_objects)
xenoprof-probe.o: $(probe_objects)
	$(AM_V_GEN)$(MODULE_LD) -r -o $@ $(probe_objects)
xenoprof-empty.o: $(empty_objects)
	$(AM_V_GEN)$(MODULE_LD) -r -o $@ $(empty_objects)

-include $(module_objects:.o=.d) $(probe_objects:.o=.d) $(empty_objects:.o=.d)
