/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process-caller.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cage/process-link.h"
#include "relay-process.h"

#define NOBODY "no opagent answers in this domain"
/* Debian's init script loads the drivers of both. */
#define EVENTS "/dev/xen/evtchn"
#define GRANTS "/dev/xen/gntdev"

/* What differs from one sort to another. */
struct process_caller_sort {
    /* Returns why a process ended before it was ready. */
    const char *(*why_nobody)(void);
    const char *nobody; /* as in struct agent_caller, and the next ones */
    bool other_clock, may_follow_us;
};

struct process_caller {
    const struct process_maker *maker;
    const struct process_caller_sort *sort;
    struct process_link process; /* socket -1: none */
    uint64_t cpu,
        reported_cpu; /* of all its processes; that caller_cpu() has returned */
    struct process_order order;
    size_t size;
    uint8_t first_message[];
};

static void end_caller(void *self)
{
    struct process_caller *caller = self;

    if ( caller->process.socket < 0 )
        return;
    process_link_end(&caller->process);
    caller->cpu += process_link_cpu(&caller->process);
}

static bool begin_caller(struct process_caller *caller)
{
    if ( !process_link_begin(&caller->process, caller->maker, &caller->order) )
    {
        caller->process.socket = -1;
        return false;
    }
    return !caller->size ||
           process_link_send(&caller->process, caller->first_message,
                             caller->size);
}

/* It says that it is ready, and nothing else before it is asked. */
static int call_process(void *self, const char **why)
{
    struct process_caller *caller = self;
    uint64_t word;
    size_t size = sizeof(word);

    if ( caller->process.socket < 0 && !begin_caller(caller) )
        *why = "no process can be made to reach it";
    else if ( process_link_receive(&caller->process, &word, &size) !=
              LINK_MORE )
        *why = caller->sort->why_nobody();
    else if ( caller->process.ready )
        return caller->process.socket;
    return -1;
}

static uint64_t caller_cpu(void *self)
{
    struct process_caller *caller = self;
    uint64_t all = caller->cpu, new;

    if ( caller->process.socket >= 0 )
        all += process_link_cpu(&caller->process);
    new = all - caller->reported_cpu;
    caller->reported_cpu = all;
    return new;
}

static void close_caller(void *self)
{
    end_caller(self);
    free(self);
}

/* Makes a caller that has a process of this order made for each call.  It is
 * sent first_message when it begins, of which the caller has a copy; size 0:
 * nothing.  Returns false if there is no memory. */
static bool open_caller(const struct process_maker *maker,
                        const struct process_caller_sort *sort,
                        const struct process_order *order,
                        const void *first_message, size_t size,
                        struct agent_caller *ret)
{
    struct process_caller *caller = calloc(1, sizeof(*caller) + size);

    if ( !caller )
        return false;
    *caller = (struct process_caller){.maker = maker,
                                      .sort = sort,
                                      .process = {.socket = -1},
                                      .order = *order,
                                      .size = size};
    if ( size )
        memcpy(caller->first_message, first_message, size);
    *ret = (struct agent_caller){.call = call_process,
                                 .end = end_caller,
                                 .cpu = caller_cpu,
                                 .close = close_caller,
                                 .self = caller,
                                 .nobody = sort->nobody,
                                 .other_clock = sort->other_clock,
                                 .may_follow_us = sort->may_follow_us};
    return true;
}

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

    return open_caller(maker, &sort, &order, &relay_order, sizeof(relay_order),
                       ret);
}

static const char *why_no_root_agent(void)
{
    return "its guest root cannot be entered: is it still mounted?";
}

bool agent_root_caller(const struct process_maker *maker, int folder,
                       struct agent_caller *ret)
{
    static const struct process_caller_sort sort = {
        .why_nobody = why_no_root_agent,
        .nobody = "the process that reads its guest root has ended",
        .may_follow_us = true};
    const struct process_order order = {PROCESS_ROOT, 1, {folder}};

    return open_caller(maker, &sort, &order, NULL, 0, ret);
}
