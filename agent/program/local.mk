# SPDX-License-Identifier: GPL-2.0-or-later
# opagent.  All but main() is a library, so that unit tests can link it.
noinst_LIBRARIES += agent/program/libopagent.a
agent_program_libopagent_a_SOURCES = $(opagent_sources)

sbin_PROGRAMS += opagent
opagent_SOURCES = agent/program/main.c
opagent_LDADD = $(opagent_links) $(POPT_LIBS)

dist_man_MANS += man/opagent.8

# daemon/local.mk makes it.
systemdsystemunit_DATA += agent/program/opagent.service
