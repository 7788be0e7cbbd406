/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of all pCPUs in the order of their time.  A pCPU's record may become
 * visible after another pCPU's later one, so the newest ones have to wait.
 */
#ifndef XENOPROF_TRACE_TRACE_ORDER_H
#define XENOPROF_TRACE_TRACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"
#include "trace-event.h"

struct trace_order {
    VECTOR(struct ordered_event {
        struct trace_event event;
        uint64_t came; /* counts those that were added */
    });
    uint64_t came, newest;
};

/* All zeroes is an empty order. */
void trace_order_free(struct trace_order *order);

/* Returns false if there is no memory.  A record without a time has that of the
 * one before it. */
bool trace_order_add(struct trace_order *order,
                     const struct trace_event *event);

/* Sorts, and returns how many of items are no newer than the newest less
 * the lag. */
size_t trace_order_ready(struct trace_order *order, uint64_t lag);

/* Drops the first so many. */
void trace_order_drop(struct trace_order *order, size_t count);

#endif
