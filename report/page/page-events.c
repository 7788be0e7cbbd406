/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes columns of the samples of a page. */
#include "page-events.h"

#include "base/scope.h"
#include "base/sort-rows.h"

#include <stdlib.h>
#include <string.h>

struct event {
    uint32_t bin;
    uint32_t lane;
    uint32_t node; /* the page's number */
    uint32_t count;
};

#define EVENT_WORDS (sizeof(struct event) / sizeof(uint32_t))

/* The lane and node of a cell's samples. */
struct cell_home {
    uint32_t lane;
    uint32_t node;
};

static bool cell_lane(struct table *lanes, const struct cell *cell,
                      uint32_t *ret)
{
    struct lane key = {{.domain = cell->key.domain}}, *lane;

    if ( cell->key.domain != DOMAIN_INDEX_OTHER )
        key.key.vcpu = cell->key.vcpu;
    lane = table_put(lanes, &key);
    if ( lane )
        *ret = (uint32_t)table_index(lanes, lane);
    return lane;
}

static bool find_homes(struct page_events *events, const struct loaded *loaded,
                       const struct page_nodes *nodes, struct cell_home *homes)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->dropped || !cell->samples )
            continue;
        homes[i].node = nodes->number[nodes->tree->ends[i]];
        if ( !cell_lane(&events->lanes, cell, &homes[i].lane) )
            return false;
    }
    return true;
}

static bool are_alike(const struct event *a, const struct event *b)
{
    return a->bin == b->bin && a->lane == b->lane && a->node == b->node;
}

/* Sorts events, and merges those that are alike: *count is how many are left.
 * Returns false if there is no memory. */
static bool sort_events(struct event *events, size_t *count)
{
    struct event *to = events;

    if ( !*count )
        return true;
    if ( !sort_rows((uint32_t *)events, *count, EVENT_WORDS, 3) )
        return false;
    for ( size_t i = 1; i < *count; i++ )
    {
        if ( are_alike(to, &events[i]) )
            to->count += events[i].count;
        else
            *++to = events[i];
    }
    *count = (size_t)(to - events) + 1;
    return true;
}

static size_t run_length(const struct event *events, size_t count)
{
    size_t length = 1;

    while ( length < count && events[length].bin == events[0].bin &&
            events[length].lane == events[0].lane )
        length++;
    return length;
}

static void put_events(struct page_events *ret, const struct event *events,
                       size_t count)
{
    uint32_t bin = 0;

    ret->count = count;
    while ( count )
    {
        size_t length = run_length(events, count);
        uint32_t before = 0;

        bytes_number(&ret->runs, events[0].bin - bin);
        bytes_number(&ret->runs, events[0].lane);
        bytes_number(&ret->runs, length);
        bin = events[0].bin;
        for ( size_t i = 0; i < length; i++ )
        {
            bytes_number(&ret->nodes, events[i].node - before);
            bytes_number(&ret->counts, events[i].count - 1);
            before = events[i].node;
        }
        events += length;
        count -= length;
    }
}

bool page_events_build(struct page_events *events, const struct loaded *loaded,
                       const struct page_nodes *nodes)
{
    const struct timeline *timeline = &loaded->timeline;
    struct event *list SCOPE_FREE = calloc(timeline->count + 1, sizeof(*list));
    struct cell_home *homes SCOPE_FREE = calloc(loaded->cells.count + 1,
                                                sizeof(*homes));
    size_t count = 0;

    memset(events, 0, sizeof(*events));
    table_init(&events->lanes, sizeof(struct lane), sizeof(struct lane));
    if ( !list || !homes || !find_homes(events, loaded, nodes, homes) )
        return false;
    for ( size_t i = 0; i < timeline->count; i++ )
    {
        const struct moment *moment = &timeline->moments[i];
        const struct cell_home *home = &homes[moment->cell];

        if ( home->node != NODE_ROOT )
            list[count++] = (struct event){moment->bin, home->lane, home->node,
                                           moment->count};
    }
    if ( !sort_events(list, &count) )
        return false;
    put_events(events, list, count);
    return true;
}

void page_events_free(struct page_events *events)
{
    table_free(&events->lanes);
    bytes_free(&events->runs);
    bytes_free(&events->nodes);
    bytes_free(&events->counts);
}
