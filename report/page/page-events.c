/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes columns of the samples of a page. */
#include "page-events.h"

#include "base/must.h"
#include "page-owners.h"

#include "base/scope.h"
#include "base/sort-rows.h"
#include "base/vector.h"
#include "report/why/reasons.h"

#include <stdlib.h>
#include <string.h>

struct event {
    uint32_t bin;
    uint32_t lane;
    uint32_t node; /* how many before it have marks */
    uint32_t count;
};

#define LANE_NONE   UINT32_MAX /* of samples that the page does not have */
#define BATCH       (1u << 18) /* events */
#define EVENT_WORDS (sizeof(struct event) / sizeof(uint32_t))

/* The lane and node of a cell's samples.  Those that a filter turned down are
 * at the root: others of their vCPU have only a part of its time. */
struct cell_home {
    uint32_t lane;
    uint32_t node;
};

/* The first two words of "exit ioio 0x3f8 out": a guest chooses the others. */
static size_t entry_length(const char *text)
{
    size_t first = strcspn(text, " ");

    return text[first] ? first + 1 + strcspn(text + first + 1, " ") : first;
}

/* The number of the text's first letters, or of those that are too many. */
static void put_lane_name(struct names *names, const char *text, size_t length,
                          uint32_t *ret)
{
    char *part SCOPE_FREE = must(strndup(text, length));

    *ret = 0;
    if ( !names_find(names, part, ret) )
        must_do(names_add(
            names, names->count < LANE_NAMES_MOST ? part : LANE_NAMES_REST,
            ret));
}

/* Of a cell's vCPU. */
static struct lane lane_of(const struct cell *cell)
{
    struct lane lane = {.key = {.domain = cell->key.domain}};

    if ( cell->key.domain != DOMAIN_INDEX_OTHER )
        lane.key.vcpu = cell->key.vcpu;
    return lane;
}

/* What the page calls why the guest was in Xen; 0: it was not, or the session
 * says that of no sample. */
static void put_entry(struct page_events *events, const struct loaded *loaded,
                      const struct cell *cell, uint32_t *ret)
{
    const char *entry = names_text(&loaded->names, cell->entry);

    *ret = 0;
    if ( !entry &&
         (cell->key.mode != XENOPROF_MODE_XEN || !loaded->entries.count) )
        return;
    put_lane_name(&events->entries, entry ? entry : LANE_NO_ENTRY,
                  entry ? entry_length(entry) : strlen(LANE_NO_ENTRY), ret);
}

/* As --why has it: what is not profiled has none. */
static uint32_t lane_reason(const struct loaded *loaded,
                            const struct chain_reason *reasons,
                            const struct cell *cell)
{
    return cell->key.mode == XENOPROF_MODE_XEN &&
                   cell->key.domain != DOMAIN_INDEX_OTHER
               ? 1u + (uint32_t)reason_of_cell(loaded, reasons, cell)
               : 0;
}

static void cell_lane(struct page_events *events, const struct loaded *loaded,
                      const struct chain_reason *reasons,
                      const struct cell *cell, uint32_t *ret)
{
    const char *comm = names_text(&loaded->names, cell_comm(cell));
    struct lane key = lane_of(cell), *lane;

    put_entry(events, loaded, cell, &key.key.entry);
    if ( comm )
        put_lane_name(&events->comms, comm, strlen(comm), &key.key.comm);
    key.key.reason = lane_reason(loaded, reasons, cell);
    lane = must(table_put(&events->lanes, &key));
    *ret = (uint32_t)table_index(&events->lanes, lane);
}

/* Samples that wait for names have moments, and are not counted yet. */
static bool has_moments(const struct cell *cell)
{
    return cell->samples || !cell_placeless(cell);
}

static void find_cell_homes(struct page_events *events,
                            const struct loaded *loaded,
                            const struct stacks *stacks,
                            const struct page_nodes *nodes,
                            struct cell_home *homes)
{
    struct chain_reason *reasons SCOPE_FREE = reasons_find(loaded, stacks);

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        homes[i] = (struct cell_home){LANE_NONE, NODE_ROOT};
        if ( cell->dropped || !has_moments(cell) )
            continue;
        homes[i].node = nodes->marks[nodes->number[nodes->tree->ends[i]]];
        if ( homes[i].node != NODE_ROOT )
            cell_lane(events, loaded, reasons, cell, &homes[i].lane);
    }
}

/* What was left out of vCPUs that the page has. */
static void add_rest(struct page_events *events, const struct loaded *loaded,
                     struct cell_home *homes)
{
    struct table vcpus;

    table_init(&vcpus, sizeof(struct lane), sizeof(struct lane));
    for ( size_t i = 0; i < events->lanes.count; i++ )
    {
        const struct lane *lane = table_at(&events->lanes, i);
        const struct lane key = {
            .key = {.domain = lane->key.domain, .vcpu = lane->key.vcpu}};

        must(table_put(&vcpus, &key));
    }
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        struct lane key = lane_of(cell), *lane;

        if ( homes[i].lane != LANE_NONE || !has_moments(cell) ||
             cell->key.mode == XENOPROF_MODE_IDLE || !table_find(&vcpus, &key) )
            continue;
        lane = must(table_put(&events->lanes, &key));
        homes[i].lane = (uint32_t)table_index(&events->lanes, lane);
    }
    table_free(&vcpus);
}

/* Sorts events, and merges those that are alike: *count is how many are
 * left. */
static void sort_events(struct event *events, size_t *count)
{
    struct event *to = events;

    if ( !*count )
        return;
    must_do(sort_rows((uint32_t *)events, *count, EVENT_WORDS, 3));
    for ( size_t i = 1; i < *count; i++ )
    {
        if ( to->bin == events[i].bin && to->lane == events[i].lane &&
             to->node == events[i].node )
            to->count += events[i].count;
        else
            *++to = events[i];
    }
    *count = (size_t)(to - events) + 1;
}

/* *bin is that of the event before, and becomes that of the last one. */
static void put_events(struct page_events *ret, const struct event *events,
                       size_t count, uint32_t *bin)
{
    ret->count += count;
    while ( count )
    {
        size_t length = 1;
        uint32_t before = 0;

        while ( length < count && events[length].bin == events[0].bin &&
                events[length].lane == events[0].lane )
            length++;
        bytes_number(&ret->runs, events[0].bin - *bin);
        bytes_number(&ret->runs, events[0].lane);
        bytes_number(&ret->runs, length);
        *bin = events[0].bin;
        for ( size_t i = 0; i < length; i++ )
        {
            planes_put(&ret->nodes, events[i].node - before);
            planes_put(&ret->counts, events[i].count - 1);
            before = events[i].node;
        }
        events += length;
        count -= length;
    }
}

/* Events on their way into columns. */
struct event_batch {
    struct {
        VECTOR(struct event);
    } events;
    uint32_t bin;  /* of the last event that is in the columns */
    uint32_t over; /* bins before the page's first one */
};

static void put_batch(struct page_events *events, struct event_batch *batch)
{
    size_t count = batch->events.count;

    sort_events(batch->events.items, &count);
    put_events(events, batch->events.items, count, &batch->bin);
    batch->events.count = 0;
}

/* Adds the moments of the first one's bin, of so many.  Returns how many these
 * are. */
static size_t add_bin(struct event_batch *batch, const struct moment *moments,
                      const struct cell_home *homes, size_t count)
{
    const uint32_t bin = moments->bin > batch->over ? moments->bin - batch->over
                                                    : 0;
    size_t length = 0;

    while ( length < count && moments[length].bin == moments[0].bin )
        length++;
    must_do(vector_reserve(&batch->events, length));
    for ( size_t i = 0; i < length; i++ )
    {
        const struct cell_home *home = &homes[moments[i].cell];

        if ( home->lane != LANE_NONE )
            batch->events.items[batch->events.count++] = (struct event){
                bin, home->lane, home->node, moments[i].count};
    }
    return length;
}

/* So many events at least are sorted at once, and whole bins. */
static void put_moments(struct page_events *events,
                        const struct timeline *timeline,
                        const struct cell_home *homes,
                        struct event_batch *batch)
{
    size_t length;

    for ( size_t at = 0; at < timeline->count; at += length )
    {
        length = add_bin(batch, &timeline->moments[at], homes,
                         timeline->count - at);
        if ( batch->events.count >= BATCH )
            put_batch(events, batch);
    }
    put_batch(events, batch);
}

void page_events_build(struct page_events *events, const struct loaded *loaded,
                       const struct stacks *stacks,
                       const struct page_nodes *nodes)
{
    struct cell_home *homes SCOPE_FREE = must(
        calloc(loaded->cells.count + 1, sizeof(*homes)));
    struct event_batch batch = {.over = timeline_over(&loaded->timeline)};

    memset(events, 0, sizeof(*events));
    table_init(&events->lanes, sizeof(struct lane), sizeof(struct lane));
    names_init(&events->entries);
    names_init(&events->comms);
    find_cell_homes(events, loaded, stacks, nodes, homes);
    if ( page_has_owners(loaded) )
        add_rest(events, loaded, homes);
    put_moments(events, &loaded->timeline, homes, &batch);
    vector_free(&batch.events);
}

void page_events_free(struct page_events *events)
{
    table_free(&events->lanes);
    names_free(&events->entries);
    names_free(&events->comms);
    bytes_free(&events->runs);
    planes_free(&events->nodes);
    planes_free(&events->counts);
}
