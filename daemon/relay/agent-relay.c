/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-relay.h"

#include <stdlib.h>
#include <unistd.h>

#include "daemon/parser/process-link.h"
#include "relay-process.h"

#define NOBODY "no opagent answers in this domain"
/* Debian's init script loads the drivers of both. */
#define EVENTS "/dev/xen/evtchn"
#define GRANTS "/dev/xen/gntdev"

struct agent_relay {
    const struct process_maker *maker;
    struct process_link process; /* socket -1: none */
    uint16_t domain;
    uint64_t cpu, said_cpu; /* of all its processes; that cpu() has returned */
};

static void end(void *self)
{
    struct agent_relay *relay = self;

    if ( relay->process.socket < 0 )
        return;
    process_link_end(&relay->process);
    relay->cpu += process_link_cpu(&relay->process);
}

static bool begin(struct agent_relay *relay)
{
    const struct process_order order = {.kind = PROCESS_RELAY};
    const struct relay_order to = {.domain = relay->domain};

    if ( !process_link_begin(&relay->process, relay->maker, &order) )
    {
        relay->process.socket = -1;
        return false;
    }
    return process_link_send(&relay->process, &to, sizeof(to));
}

/* Why the relay could not connect. */
static const char *why_nobody(void)
{
    return !access(EVENTS, F_OK) && access(GRANTS, F_OK)
               ? "there is no " GRANTS ": modprobe xen-gntdev"
               : NOBODY;
}

/* It says that it is ready, and nothing else before it is asked. */
static int call(void *self, const char **why)
{
    struct agent_relay *relay = self;
    uint64_t word;
    size_t size = sizeof(word);

    if ( relay->process.socket < 0 && !begin(relay) )
        *why = "no process can be made to reach it";
    else if ( process_link_receive(&relay->process, &word, &size) != LINK_MORE )
        *why = why_nobody();
    else if ( relay->process.ready )
        return relay->process.socket;
    return -1;
}

static uint64_t cpu(void *self)
{
    struct agent_relay *relay = self;
    uint64_t all = relay->cpu, new;

    if ( relay->process.socket >= 0 )
        all += process_link_cpu(&relay->process);
    new = all - relay->said_cpu;
    relay->said_cpu = all;
    return new;
}

static void close_relay(void *self)
{
    end(self);
    free(self);
}

bool agent_relay_caller(const struct process_maker *maker, uint16_t domain,
                        struct agent_caller *ret)
{
    struct agent_relay *relay = calloc(1, sizeof(*relay));

    if ( !relay )
        return false;
    *relay = (struct agent_relay){
        .maker = maker, .process = {.socket = -1}, .domain = domain};
    *ret = (struct agent_caller){.call = call,
                                 .end = end,
                                 .cpu = cpu,
                                 .close = close_relay,
                                 .self = relay,
                                 .nobody = NOBODY,
                                 .other_clock = true};
    return true;
}
