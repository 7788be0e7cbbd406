# SPDX-License-Identifier: GPL-2.0-or-later
# opagent.  All but main() is a library, so that unit tests can link it.
noinst_LIBRARIES += agent/program/libopagent.a
agent_program_libopagent_a_SOURCES = $(opagent_sources)

sbin_PROGRAMS += opagent
opagent_SOURCES = agent/program/main.c
opagent_LDADD = $(opagent_links) $(POPT_LIBS)

# For a guest that has no libraries: "make opagent-static".
static_programs += opagent-static
opagent_static_SOURCES = agent/program/main.c $(static_sources)
opagent_static_LDADD = $(call static_links,$(opagent_links))
opagent_static_LINK = $(static_link)

dist_man_MANS += man/opagent.8

# daemon/local.mk makes it.
systemdsystemunit_DATA += agent/program/opagent.service
