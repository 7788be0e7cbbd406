/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "porter.h"

#include "relay-process.h"
#include "relay-rights.h"
#include "root-process.h"

static void run_agent_process(const struct process_order *order, int socket)
{
    if ( order->kind == PROCESS_ROOT )
        root_process_run(order, socket);
    else
        relay_process_run(order, socket);
}

int porter_start(struct keeper *porter, const struct identity *identity,
                 struct failure *failure)
{
    const struct keeper_kind kind = {"xenoprof-porter", NULL, run_agent_process,
                                     relay_rights_keep};

    relay_rights_user(identity);
    return keeper_start_as(porter, &kind, failure);
}
