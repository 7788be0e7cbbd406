/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"

#include "base/must.h"

#include <libxenoprof.h>

#include <stdlib.h>

#define WIDTH_FIRST  1000000u /* 1 ms */
#define BIN_MASK     ((1u << MOMENT_BIN_BITS) - 1)
#define SPREAD_PARTS 100u       /* of a second, most often */
#define MERGE_FROM   (1u << 20) /* moments; fewer are left as they came */
#define BINS_LEAST   10u        /* fewer show nothing: a large page is better */

void timeline_begin(struct timeline *timeline, uint64_t time)
{
    if ( timeline->begun )
        return;
    timeline->begun = true;
    timeline->begin = time;
    timeline->origin = time - time % XENOPROF_SECOND;
    timeline->width = WIDTH_FIRST;
}

/* Puts moments in the order of their bins, where they are: ends[] becomes where
 * each bin's end, and next[] is used up. */
static void sort_by_bin(struct timeline *timeline, size_t *ends, size_t *next)
{
    struct moment *moments = timeline->moments;
    size_t end = 0;

    for ( size_t i = 0; i < timeline->count; i++ )
        ends[moments[i].bin]++;
    for ( uint32_t bin = 0; bin < timeline->bins; bin++ )
    {
        next[bin] = end;
        ends[bin] = end += ends[bin];
    }
    for ( uint32_t bin = 0; bin < timeline->bins; bin++ )
        while ( next[bin] < ends[bin] )
        {
            struct moment here = moments[next[bin]], *to;

            if ( here.bin == bin )
            {
                next[bin]++;
                continue;
            }
            to = &moments[next[here.bin]++];
            moments[next[bin]] = *to;
            *to = here;
        }
}

/* Moments of a cell in one bin become one, or as few as their samples have room
 * in; at[] has room for each cell. */
static void join_alike(struct timeline *timeline, uint32_t *at)
{
    struct moment *moments = timeline->moments;
    size_t kept = 0, begin = 0;

    for ( size_t i = 0; i < timeline->count; i++ )
    {
        const struct moment from = moments[i];
        size_t known = at[from.cell];

        if ( kept && moments[kept - 1].bin != from.bin )
            begin = kept;
        if ( known > begin &&
             from.count <= MOMENT_MOST - moments[known - 1].count )
            moments[known - 1].count += from.count;
        else
        {
            moments[kept++] = from;
            at[from.cell] = (uint32_t)kept;
        }
    }
    timeline->count = kept;
}

static uint32_t count_cells(const struct timeline *timeline)
{
    uint32_t last = 0;

    for ( size_t i = 0; i < timeline->count; i++ )
        if ( timeline->moments[i].cell > last )
            last = timeline->moments[i].cell;
    return last + 1;
}

/* Room to sort by bin. */
static size_t *make_ends(const struct timeline *timeline)
{
    return must(calloc(2 * (timeline->bins + 1ul), sizeof(size_t)));
}

/* Moments that are alike become one.  This is where a page takes most memory:
 * it takes little more than they do. */
static void merge(struct timeline *timeline)
{
    size_t *ends = make_ends(timeline);
    uint32_t *at = must(calloc(count_cells(timeline), sizeof(*at)));

    sort_by_bin(timeline, ends, ends + timeline->bins + 1);
    join_alike(timeline, at);
    free(at);
    free(ends);
}

/* Widths are 1, 2, 10, 20, 100, ... times the first one. */
static uint32_t next_factor(const struct timeline *timeline)
{
    uint64_t power = WIDTH_FIRST;

    while ( power * 10 <= timeline->width )
        power *= 10;
    return timeline->width == power ? 2 : 5;
}

/* How many bins there would be if they were wider. */
static uint32_t wider_bins(const struct timeline *timeline)
{
    return timeline->bins ? (timeline->bins - 1) / next_factor(timeline) + 1
                          : 0;
}

static void widen_bins(struct timeline *timeline)
{
    const uint32_t factor = next_factor(timeline);

    timeline->bins = wider_bins(timeline);
    timeline->width *= factor;
    for ( size_t i = 0; i < timeline->count; i++ )
        timeline->moments[i].bin = (timeline->moments[i].bin / factor) &
                                   BIN_MASK;
}

static size_t most(const struct timeline *timeline)
{
    return timeline->most ? timeline->most : TIMELINE_MOMENTS;
}

/* Wider bins have more that is alike; so many of them are left at least.  With
 * one bin, cells alone are many. */
static void make_few(struct timeline *timeline, size_t few, uint32_t least)
{
    merge(timeline);
    while ( timeline->count > few && timeline->bins > 1 &&
            wider_bins(timeline) >= least )
    {
        widen_bins(timeline);
        merge(timeline);
    }
}

/* Room is made by merging as long as that leaves a half of it, so that it is
 * not done again at once. */
static void make_moment_room(struct timeline *timeline)
{
    size_t room = timeline->room ? 2 * timeline->room : 4096;
    struct moment *moments;

    if ( timeline->count < timeline->room )
        return;
    if ( timeline->count >= MERGE_FROM )
        make_few(timeline, most(timeline) / 2, 1);
    if ( timeline->count < timeline->room / 2 )
        return;
    if ( room > most(timeline) && timeline->count < most(timeline) )
        room = most(timeline);
    moments = must(reallocarray(timeline->moments, room, sizeof(*moments)));
    timeline->moments = moments;
    timeline->room = room;
}

void timeline_add(struct timeline *timeline, uint64_t time, uint32_t cell)
{
    uint64_t since, bin;

    if ( !timeline->wanted )
        return;
    timeline_begin(timeline, time);
    since = time > timeline->origin ? time - timeline->origin : 0;
    make_moment_room(timeline);
    while ( (bin = since / timeline->width) >= TIMELINE_BINS )
        widen_bins(timeline);
    timeline->moments[timeline->count++] = (struct moment){
        .cell = cell, .bin = (uint32_t)bin & BIN_MASK, .count = 1};
    if ( bin >= timeline->bins )
        timeline->bins = (uint32_t)bin + 1;
}

void timeline_spread(struct timeline *timeline, const struct time_span *span,
                     uint32_t cell, uint64_t samples)
{
    const uint64_t length = span->from < span->to ? span->to - span->from : 0;
    const uint64_t parts = samples < SPREAD_PARTS ? samples : SPREAD_PARTS;

    if ( !timeline->wanted )
        return;
    /* A file says what it likes. */
    if ( samples > parts * MOMENT_MOST )
        samples = parts * MOMENT_MOST;
    for ( uint64_t i = 0; i < parts; i++ )
    {
        timeline_add(timeline, span->from + length * i / parts, cell);
        timeline->moments[timeline->count - 1].count =
            (uint32_t)(samples * (i + 1) / parts - samples * i / parts) &
            MOMENT_MOST;
    }
}

void timeline_finish(struct timeline *timeline)
{
    size_t few = timeline->most ? timeline->most : TIMELINE_KEPT;

    if ( timeline->count <= few || count_cells(timeline) >= few )
    {
        size_t *ends = make_ends(timeline);

        sort_by_bin(timeline, ends, ends + timeline->bins + 1);
        free(ends);
        return;
    }
    make_few(timeline, few, BINS_LEAST);
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->moments);
}
