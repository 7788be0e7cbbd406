/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way to a guest's agent: a process of its own, which has the guest's rings
 * mapped and hands messages on (relay-process.h).  The daemon itself maps
 * nothing that a guest may write.
 */
#ifndef XENOPROF_DAEMON_RELAY_AGENT_RELAY_H
#define XENOPROF_DAEMON_RELAY_AGENT_RELAY_H

#include "daemon/agent/agent-caller.h"
#include "cage/process-maker.h"

/* To the agent in this domain, by a process of maker's, which outlives it.
 * Returns false if there is no memory. */
bool agent_relay_caller(const struct process_maker *maker, uint16_t domain,
                        struct agent_caller *ret);

#endif
