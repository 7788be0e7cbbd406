/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-pcpus.h"

#include "base/must.h"
#include "base/scope.h"
#include "page-again.h"

#include <stdlib.h>

#define NS_PER_US  1000u
#define SPANS      500u   /* of the page's time */
#define TIMES_MOST 50000u /* rows; with more, spans become wider */

struct pcpu_time {
    struct {
        uint32_t pcpu;
        uint32_t domain; /* index into loaded.domains of the page's report */
        uint32_t mode;
        uint32_t span;
    } key;
    double time; /* ns */
};

struct pcpu_times {
    const struct loaded *page;
    struct table times; /* struct pcpu_time */
    uint32_t span;      /* bins */
};

static void init_times(struct table *times)
{
    table_init(times, sizeof(((struct pcpu_time *)0)->key),
               sizeof(struct pcpu_time));
}

/* Two spans become one. */
static void widen_spans(struct pcpu_times *times)
{
    struct table wide;

    init_times(&wide);
    for ( size_t i = 0; i < times->times.count; i++ )
    {
        struct pcpu_time key = *(struct pcpu_time *)table_at(&times->times, i);
        struct pcpu_time *to;

        key.key.span /= 2;
        to = must(table_put(&wide, &key.key));
        to->time += key.time;
    }
    table_free(&times->times);
    times->times = wide;
    times->span *= 2;
}

static void add_time(struct pcpu_times *times, struct pcpu_time *time,
                     uint32_t bin)
{
    struct pcpu_time *to;

    time->key.span = bin / times->span;
    to = must(table_put(&times->times, &time->key));
    to->time += time->time;
    while ( times->times.count > TIMES_MOST && bin / times->span )
        widen_spans(times);
}

/* Whether it matters what samples ran: something filters by that. */
static bool asks_what(const struct query *query)
{
    const struct filter *filters = query->selection.filters;

    return query->focus.count || filters[FILTER_IMAGE].count ||
           filters[FILTER_SYMBOL].count || filters[FILTER_LINE].count ||
           filters[FILTER_ENTRY].count || filters[FILTER_REASON].count ||
           filters[FILTER_STACK].count;
}

/* A sample has the mean of its vCPU's on its pCPU, in its mode. */
static void add_moments(struct pcpu_times *times, const struct loaded *other)
{
    const struct timeline *timeline = &other->timeline;
    const struct timeline *page = &times->page->timeline;
    const uint64_t over = timeline_start(page) - page->origin;

    for ( size_t i = 0; i < timeline->count; i++ )
    {
        const struct moment *moment = &timeline->moments[i];
        const struct cell *cell = table_at(&other->cells, moment->cell);
        const uint64_t since = moment->bin * timeline->width;
        const uint64_t bin = since > over ? (since - over) / page->width : 0;
        struct pcpu_time time = {
            .key = {.pcpu = cell->key.pcpu, .mode = cell->key.mode}};

        if ( cell->dropped || !cell->samples || !cell_has_share(&cell->key) ||
             cell->key.pcpu == CELL_SEVERAL ||
             bin >= page->bins ) /* it was sampled since the page was read */
            continue;
        time.key.domain = page_again_domain(times->page, other,
                                            cell->key.domain);
        time.time = (double)cell->time / (double)cell->samples * moment->count;
        add_time(times, &time, (uint32_t)bin);
    }
}

static int compare_pcpu_times(const void *left, const void *right)
{
    const struct pcpu_time *a = left, *b = right;

    if ( a->key.pcpu != b->key.pcpu )
        return a->key.pcpu < b->key.pcpu ? -1 : 1;
    if ( a->key.domain != b->key.domain )
        return a->key.domain < b->key.domain ? -1 : 1;
    if ( a->key.mode != b->key.mode )
        return a->key.mode < b->key.mode ? -1 : 1;
    return (a->key.span > b->key.span) - (a->key.span < b->key.span);
}

static bool same_lane(const struct pcpu_time *a, const struct pcpu_time *b)
{
    return a->key.pcpu == b->key.pcpu && a->key.domain == b->key.domain &&
           a->key.mode == b->key.mode;
}

static void put_times(const struct pcpu_time *times, size_t count,
                      struct bytes *ret)
{
    uint32_t last = 0;

    bytes_number(ret, times->key.pcpu);
    bytes_number(ret, times->key.domain);
    bytes_number(ret, times->key.mode);
    bytes_number(ret, count);
    for ( size_t i = 0; i < count; i++ )
    {
        bytes_number(ret, times[i].key.span - last);
        bytes_number(ret, (uint64_t)(times[i].time / NS_PER_US + 0.5));
        last = times[i].key.span;
    }
}

static void put_all_times(const struct pcpu_times *times, struct bytes *ret)
{
    const size_t all = times->times.count;
    struct pcpu_time *sorted SCOPE_FREE = must(
        calloc(all + 1, sizeof(*sorted)));
    size_t count;

    for ( size_t i = 0; i < all; i++ )
        sorted[i] = *(struct pcpu_time *)table_at(&times->times, i);
    qsort(sorted, all, sizeof(*sorted), compare_pcpu_times);
    if ( all )
        bytes_number(ret, times->span);
    for ( size_t i = 0; i < all; i += count )
    {
        for ( count = 1; i + count < all; count++ )
            if ( !same_lane(&sorted[i], &sorted[i + count]) )
                break;
        put_times(&sorted[i], count, ret);
    }
}

void page_pcpus_put(const struct report *report, struct bytes *ret)
{
    const struct loaded *page = report->loaded;
    struct query query = *report->query;
    struct gathered_session gathered;
    struct pcpu_times times = {.page = page,
                               .span = page->timeline.bins / SPANS + 1};

    if ( !types_is_time(&page->types) || !page->timeline.begun ||
         session_bytes(report->path) > PAGE_AGAIN_BYTES )
        return;
    query.sort = (struct label_list){.label = {LABEL_PCPU}, .count = 1};
    query.needs_stacks = query.needs_who = false;
    query.who_only = !asks_what(&query);
    query.silent = true;
    init_times(&times.times);
    if ( page_again(report, &query, &gathered) )
    {
        add_moments(&times, &gathered.loaded);
        put_all_times(&times, ret);
    }
    table_free(&times.times);
    gathered_free(&gathered);
}
