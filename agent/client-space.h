/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a client says that a process has mapped (AGENT_KNOW): an agent of files
 * that are not its machine's has it from nowhere else. */
#ifndef XENOPROF_AGENT_CLIENT_SPACE_H
#define XENOPROF_AGENT_CLIENT_SPACE_H

#include <xenoprof/agent.h>

#include "space-history.h"

/* Returns true and has put what a message says of a process into the history;
 * false, and has done nothing, if the message is not whole.  What is no mapping
 * in it is passed over. */
bool client_space_take(struct space_history *history, const void *message,
                       size_t size);

#endif
