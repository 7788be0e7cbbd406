/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way to an agent of a guest root: a file system of a guest's that is
 * mounted in dom0, and a process of its own that reads what is below it
 * (root-process.h).  The daemon itself opens no file of a guest's.
 */
#ifndef XENOPROF_DAEMON_RELAY_AGENT_ROOT_H
#define XENOPROF_DAEMON_RELAY_AGENT_ROOT_H

#include "daemon/agent/agent-caller.h"
#include "cage/process-maker.h"

/* To the agent of this folder, a descriptor that outlives it, by a process of
 * maker's, which does, too.  Returns false if there is no memory. */
bool agent_root_caller(const struct process_maker *maker, int folder,
                       struct agent_caller *ret);

#endif
