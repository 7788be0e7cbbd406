/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way to an agent by a process of the porter's, which begins when the agent
 * is called, says when it is ready to be asked, and ends with the call. */
#ifndef XENOPROF_DAEMON_RELAY_PROCESS_CALLER_H
#define XENOPROF_DAEMON_RELAY_PROCESS_CALLER_H

#include <stddef.h>

#include "daemon/agent/agent-caller.h"
#include "cage/process-maker.h"

/* What differs from one sort to another. */
struct process_caller_sort {
    /* Returns why a process ended before it was ready. */
    const char *(*why_nobody)(void);
    const char *nobody; /* as in struct agent_caller, and the next ones */
    bool other_clock, may_follow_us;
};

/* By a process of this order of maker's, which outlives it with the order's
 * files, and as sort does; the process is sent what is said, which is copied,
 * first; size 0: nothing.  Returns false if there is no memory. */
bool process_caller_open(const struct process_maker *maker,
                         const struct process_caller_sort *sort,
                         const struct process_order *order,
                         const void *first_message, size_t size,
                         struct agent_caller *ret);

#endif
