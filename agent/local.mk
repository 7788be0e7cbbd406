# SPDX-License-Identifier: GPL-2.0-or-later
# Which process had which code mapped, and when; what it is called; and the
# answers to who asks.  Knows nothing of Xen.
noinst_LIBRARIES += agent/libagent.a
agent_libagent_a_SOURCES = $(agent_sources)
