# SPDX-License-Identifier: GPL-2.0-or-later
# xenopctl.  All but main() is a library, so that unit tests can link it.
noinst_LIBRARIES += opcontrol/libxenopctl.a
opcontrol_libxenopctl_a_SOURCES = $(xenopctl_sources)

sbin_PROGRAMS += xenopctl
xenopctl_SOURCES = opcontrol/main.c
xenopctl_LDADD = $(xenopctl_links) $(POPT_LIBS)

dist_man_MANS += man/xenopctl.8
