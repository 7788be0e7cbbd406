/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The relay: a process that hands messages on between the daemon's socket and
 * the rings of one guest's agent (<xenoprof/agent.h>).  It begins with what it
 * needs to open Xen's devices, gives that up once it is connected, and says
 * then that it is ready (process-words.h).
 *
 * The guest may write anything into its rings at any time.  So the relay
 * believes only that bytes are bytes: what is not asked for ends it, and what
 * is said is the daemon's to check.
 */
#ifndef XENOPROF_DAEMON_RELAY_RELAY_PROCESS_H
#define XENOPROF_DAEMON_RELAY_RELAY_PROCESS_H

#include <stdint.h>

#include "cage/process-maker.h"

/* The first packet to it. */
struct relay_order {
    uint32_t domain;
};

/* A process_act.  Returns when the daemon or the guest hangs up. */
void relay_process_run(const struct process_order *order, int socket);

#endif
