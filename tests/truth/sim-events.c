/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A heap. */
#include "sim-events.h"

#include <stdio.h>
#include <stdlib.h>

static void no_memory(void)
{
    fprintf(stderr, "make-truth: no memory\n");
    exit(1);
}

void *sim_memory(uint64_t count, uint64_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if ( !memory )
        no_memory();
    return memory;
}

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void swap(struct sim_event *a, struct sim_event *b)
{
    struct sim_event kept = *a;

    *a = *b;
    *b = kept;
}

void sim_add(struct sim_events *events, uint64_t time, enum sim_kind kind,
             uint32_t what, uint16_t stamp)
{
    struct sim_event *event = vector_add(events);
    size_t at = events->count - 1;

    if ( !event )
        no_memory();
    *event = (struct sim_event){.time = time,
                                .number = events->made++,
                                .kind = (uint16_t)kind,
                                .stamp = stamp,
                                .what = what};
    for ( ; at && is_before(&events->items[at], &events->items[(at - 1) / 2]);
          at = (at - 1) / 2 )
        swap(&events->items[at], &events->items[(at - 1) / 2]);
}

struct sim_event sim_take(struct sim_events *events)
{
    struct sim_event *items = events->items, first = items[0];
    size_t at = 0, next, count = --events->count;

    items[0] = items[count];
    while ( (next = 2 * at + 1) < count )
    {
        if ( next + 1 < count && is_before(&items[next + 1], &items[next]) )
            next++;
        if ( !is_before(&items[next], &items[at]) )
            break;
        swap(&items[next], &items[at]);
        at = next;
    }
    return first;
}
