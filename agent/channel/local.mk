# SPDX-License-Identifier: GPL-2.0-or-later
# Messages over a vchan, as both of its sides pass them.
noinst_LIBRARIES += agent/channel/libagentchannel.a
agent_channel_libagentchannel_a_SOURCES = $(channel_sources)
