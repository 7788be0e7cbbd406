/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to an agent by a process of the porter's, which begins when the
 * agent is called, says when it is ready to be asked, and ends with the call.
 * Its maker outlives the caller.  Both return false if there is no memory.
 */
#ifndef XENOPROF_DAEMON_RELAY_PROCESS_CALLER_H
#define XENOPROF_DAEMON_RELAY_PROCESS_CALLER_H

#include "daemon/agent/agent-caller.h"
#include "cage/process-maker.h"

/* To the agent in this domain: the process has the guest's rings mapped and
 * hands messages on (relay-process.h).  The daemon itself maps nothing that a
 * guest may write. */
bool agent_relay_caller(const struct process_maker *maker, uint16_t domain,
                        struct agent_caller *ret);
/* To an agent of a guest root, which is a file system of a guest's that is
 * mounted in dom0.  folder is a descriptor of it, which outlives the caller.
 * The process reads what is below (root-process.h); the daemon itself opens no
 * file of a guest's. */
bool agent_root_caller(const struct process_maker *maker, int folder,
                       struct agent_caller *ret);

#endif
