/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-relay.h"

#include <unistd.h>

#include "process-caller.h"
#include "relay-process.h"

#define NOBODY "no opagent answers in this domain"
/* Debian's init script loads the drivers of both. */
#define EVENTS "/dev/xen/evtchn"
#define GRANTS "/dev/xen/gntdev"

/* Why the relay could not connect. */
static const char *why_no_relayed_agent(void)
{
    return !access(EVENTS, F_OK) && access(GRANTS, F_OK)
               ? "there is no " GRANTS ": modprobe xen-gntdev"
               : NOBODY;
}

bool agent_relay_caller(const struct process_maker *maker, uint16_t domain,
                        struct agent_caller *ret)
{
    static const struct process_caller_sort sort = {
        .why_nobody = why_no_relayed_agent,
        .nobody = NOBODY,
        .other_clock = true};
    const struct process_order order = {.kind = PROCESS_RELAY};
    const struct relay_order relay_order = {.domain = domain};

    return process_caller_open(maker, &sort, &order, &relay_order,
                               sizeof(relay_order), ret);
}
