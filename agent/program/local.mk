# SPDX-License-Identifier: GPL-2.0-or-later
# opagent.  All but main() is a library, so that unit tests can link it.
noinst_LIBRARIES += agent/program/libopagent.a
agent_program_libopagent_a_SOURCES = $(opagent_sources)

sbin_PROGRAMS += opagent
opagent_SOURCES = agent/program/main.c
opagent_LDADD = $(opagent_links) $(POPT_LIBS)

# For a guest that has no libraries: "make opagent-static".
EXTRA_PROGRAMS += opagent-static
CLEANFILES += opagent-static
opagent_static_SOURCES = agent/program/main.c agent/libelf-trees.c \
	base/user-entry-file.c
opagent_static_LDADD = $(filter-out $(BFD_LIBS) $(XENFOREIGNMEMORY_LIBS), \
	$(opagent_links)) -liberty -lxentoollog -lxentoolcore
opagent_static_LINK = $(srcdir)/build-aux/link-static $(CCLD) $(AM_CFLAGS) \
	$(CFLAGS) $(LDFLAGS) -o $@

dist_man_MANS += man/opagent.8

# daemon/local.mk makes it.
systemdsystemunit_DATA += agent/program/opagent.service
