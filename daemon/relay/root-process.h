/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent of a guest root: a process that answers as opagent does
 * (<xenoprof/agent.h>), of processes that it is told of, by the files below one
 * folder of dom0's.  It makes that folder its root, becomes a user without
 * rights, and says then that it is ready (process-words.h).
 *
 * Every byte of these files may be a guest's.  So nothing else is within reach
 * of who reads them: no other file, no process, no device of Xen's, no network.
 */
#ifndef XENOPROF_DAEMON_RELAY_ROOT_PROCESS_H
#define XENOPROF_DAEMON_RELAY_ROOT_PROCESS_H

#include "cage/process-maker.h"

/* A process_act; the order's file is the folder.  Returns when the daemon hangs
 * up, or if the folder cannot be entered. */
void root_process_run(const struct process_order *order, int socket);

#endif
