/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of all pCPUs, by time. */
#include <stdlib.h>
#include <string.h>

#include "trace-order.h"

void trace_order_free(struct trace_order *order)
{
    vector_free(order);
    *order = (struct trace_order){0};
}

bool trace_order_add(struct trace_order *order, const struct trace_event *event)
{
    struct ordered_event *added = vector_add(order);

    if ( !added )
        return false;
    added->event = *event;
    added->came = order->came++;
    if ( !event->tsc && order->count > 1 )
        added->event.tsc = added[-1].event.tsc;
    if ( added->event.tsc > order->newest )
        order->newest = added->event.tsc;
    return true;
}

/* Those of one time stay as they came: a pCPU's own have an order. */
static int by_time(const void *left, const void *right)
{
    const struct ordered_event *a = left, *b = right;

    if ( a->event.tsc != b->event.tsc )
        return a->event.tsc > b->event.tsc ? 1 : -1;
    return (a->came > b->came) - (a->came < b->came);
}

size_t trace_order_ready(struct trace_order *order, uint64_t lag)
{
    uint64_t until = order->newest > lag ? order->newest - lag : 0;
    size_t ready = order->count;

    if ( order->count )
        qsort(order->items, order->count, sizeof(*order->items), by_time);
    while ( ready && order->items[ready - 1].event.tsc > until )
        ready--;
    return ready;
}

void trace_order_drop(struct trace_order *order, size_t count)
{
    if ( !count )
        return;
    order->count -= count;
    memmove(order->items, order->items + count,
            order->count * sizeof(*order->items));
}
