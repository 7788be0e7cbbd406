# SPDX-License-Identifier: GPL-2.0-or-later
# The hypervisor module: freestanding objects joined into one, which xenopctl
# completes for the running hypervisor.  Not automake's objects, since the
# user's CFLAGS have no say in what runs in Xen.

payload = hypervisor/port-payload

# The first one begins our text.
payload_first = $(payload)/unwind-data.c
payload_sources = \
	$(payload)/door.c \
	$(payload)/entry-code.c \
	$(payload)/events.c \
	$(payload)/facts-check.c \
	$(payload)/facts-data.c \
	$(payload)/guest-memory.c \
	$(payload)/guest-tables.c \
	$(payload)/guest.c \
	$(payload)/hooks.c \
	$(payload)/nmi.c \
	$(payload)/notes.c \
	$(payload)/pages.c \
	$(payload)/services.c \
	$(payload)/stack.c \
	$(payload)/thunks.c
payload_headers = \
	$(payload)/door.h \
	$(payload)/entry-code.h \
	$(payload)/events.h \
	$(payload)/facts-check.h \
	$(payload)/guest-memory.h \
	$(payload)/guest.h \
	$(payload)/load.h \
	$(payload)/nmi.h \
	$(payload)/xen.h
probe_sources = $(payload)/probe/probe.c $(payload)/notes.c \
	$(payload)/thunks.c
empty_sources = $(payload)/probe/empty.c $(payload)/notes.c \
	$(payload)/thunks.c

module_objects = $(payload_first:.c=.module.o) \
	$(core_sources:.c=.module.o) $(payload_sources:.c=.module.o)
probe_objects = $(probe_sources:.c=.module.o)
empty_objects = $(empty_sources:.c=.module.o)

EXTRA_DIST += $(payload_first) $(payload_sources) $(payload_headers) \
	$(payload)/probe/probe.c $(payload)/probe/empty.c
CLEANFILES += $(module_objects) $(module_objects:.o=.d) \
	$(probe_objects) $(probe_objects:.o=.d) \
	$(empty_objects) $(empty_objects:.o=.d) \
	xenoprof-module.o xenoprof-probe.o xenoprof-empty.o

if WITH_XEN
pkgdata_DATA += xenoprof-module.o xenoprof-probe.o xenoprof-empty.o
endif

%.module.o: %.c
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(MODULE_CC) $(MODULE_CFLAGS) -I$(top_srcdir)/include -I$(top_srcdir) \
	  -DPACKAGE_VERSION='"$(PACKAGE_VERSION)"' -MMD -MP -c -o $@ $<

xenoprof-module.o: $(module_objects)
	$(AM_V_GEN)$(MODULE_LD) -r -o $@ $(module_objects)
xenoprof-probe.o: $(probe_objects)
	$(AM_V_GEN)$(MODULE_LD) -r -o $@ $(probe_objects)
xenoprof-empty.o: $(empty_objects)
	$(AM_V_GEN)$(MODULE_LD) -r -o $@ $(empty_objects)

-include $(module_objects:.o=.d) $(probe_objects:.o=.d) $(empty_objects:.o=.d)

TESTS += tests/unit/hypervisor/nmi-calls.sh
EXTRA_DIST += tests/unit/hypervisor/nmi-calls.sh
