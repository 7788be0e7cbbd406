/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each kind of process does: for keeper_start(). */
#ifndef XENOPROF_DAEMON_PARSER_PROCESS_RUN_H
#define XENOPROF_DAEMON_PARSER_PROCESS_RUN_H

#include "search-process.h"
#include "user-walker-process.h"
#include "walker-process.h"

static inline void process_run(const struct process_order *order, int socket)
{
    if ( order->kind == PROCESS_WALKER )
        walker_process_run(order, socket);
    else if ( order->kind == PROCESS_USER_WALKER )
        user_walker_process_run(order, socket);
    else
        search_process_run(order, socket);
}

#endif
