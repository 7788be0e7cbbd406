/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of a flow, and its functions: which of them return, and what waits
 * for that. */
#include "flow-nodes.h"

#include <errno.h>
#include <stdlib.h>

#include "insn.h"

int flow_nodes_open(struct flow_nodes *flow, size_t count)
{
    flow->list = malloc(count * sizeof(*flow->list));
    if ( !flow->list )
        return -ENOMEM;
    for ( uint32_t i = 0; i < count; i++ )
        flow->list[i] = (struct flow_node){.owner = UNWIND_NOWHERE,
                                           .ring = i,
                                           .first = UNWIND_NOWHERE,
                                           .parent = i};
    flow->head = UNWIND_NOWHERE;
    return 0;
}

void flow_nodes_close(struct flow_nodes *flow)
{
    free(flow->list);
}

void flow_enqueue(struct flow_nodes *flow, uint32_t insn)
{
    struct flow_node *node = &flow->list[insn];

    if ( node->queued )
        return;
    node->queued = true;
    node->next = UNWIND_NOWHERE;
    if ( flow->head == UNWIND_NOWHERE )
        flow->head = insn;
    else
        flow->list[flow->tail].next = insn;
    flow->tail = insn;
}

uint32_t flow_dequeue(struct flow_nodes *flow)
{
    uint32_t insn = flow->head;

    flow->head = flow->list[insn].next;
    flow->list[insn].queued = false;
    return insn;
}

static uint32_t representative(struct flow_nodes *flow, uint32_t function)
{
    struct flow_node *nodes = flow->list;

    while ( nodes[function].parent != function )
    {
        nodes[function].parent = nodes[nodes[function].parent].parent;
        function = nodes[function].parent;
    }
    return function;
}

/* Everything that waited is visited again. */
static void wake(struct flow_nodes *flow, uint32_t function)
{
    uint32_t waiter = flow->list[function].first;

    flow->list[function].first = UNWIND_NOWHERE;
    while ( waiter != UNWIND_NOWHERE )
    {
        struct flow_node *node = &flow->list[waiter];

        node->waiting = false;
        flow_enqueue(flow, waiter);
        waiter = node->waits;
    }
}

bool flow_returns(struct flow_nodes *flow, uint32_t function)
{
    return flow->list[representative(flow, function)].returns;
}

void flow_comes_back(struct flow_nodes *flow, uint32_t insn)
{
    uint32_t first = representative(flow, flow->list[insn].owner);
    uint32_t function = first;

    if ( flow->list[first].returns )
        return;
    flow->list[first].returns = true;
    do
    {
        wake(flow, function);
        function = flow->list[function].ring;
    } while ( function != first );
}

void flow_wait(struct flow_nodes *flow, uint32_t insn, uint32_t function)
{
    struct flow_node *node = &flow->list[insn];

    if ( node->waiting )
        return;
    node->waiting = true;
    node->waits = flow->list[function].first;
    flow->list[function].first = insn;
}

void flow_unite(struct flow_nodes *flow, uint32_t one, uint32_t other)
{
    struct flow_node *nodes = flow->list;
    uint32_t a = representative(flow, one), b = representative(flow, other);
    uint32_t ring;

    if ( a == b )
        return;
    if ( nodes[a].returns != nodes[b].returns )
        flow_comes_back(flow, nodes[a].returns ? b : a);
    ring = nodes[a].ring;
    nodes[a].ring = nodes[b].ring;
    nodes[b].ring = ring;
    nodes[b].parent = a;
}
