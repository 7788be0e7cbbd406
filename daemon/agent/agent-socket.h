/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way to the agent of this machine. */
#ifndef XENOPROF_DAEMON_AGENT_AGENT_SOCKET_H
#define XENOPROF_DAEMON_AGENT_AGENT_SOCKET_H

#include "agent-caller.h"

/* By the socket at path, of root's or our own.  Returns false if there is no
 * memory. */
bool agent_socket_caller(const char *path, struct agent_caller *ret);

#endif
