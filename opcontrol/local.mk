# SPDX-License-Identifier: GPL-2.0-or-later
# xenopctl.  All but main() is a library, so that unit tests can link it.
noinst_LIBRARIES += opcontrol/libxenopctl.a
opcontrol_libxenopctl_a_SOURCES = $(xenopctl_sources)

sbin_PROGRAMS += xenopctl
xenopctl_SOURCES = opcontrol/main.c
xenopctl_LDADD = $(xenopctl_links) $(POPT_LIBS)

# Of a Xen of the series of these libraries.
static_programs += xenopctl-static
xenopctl_static_SOURCES = opcontrol/main.c $(static_sources)
xenopctl_static_LDADD = $(call static_links,$(xenopctl_links))
xenopctl_static_LINK = $(static_link)

dist_man_MANS += man/xenopctl.8
