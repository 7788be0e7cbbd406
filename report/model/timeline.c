/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"

#include "base/must.h"

#include <libxenoprof.h>

#include <stdlib.h>
#include <string.h>

#define WIDTH_FIRST  1000000u /* 1 ms */
#define BIN_MASK     ((1u << MOMENT_BIN_BITS) - 1)
#define AHEAD        16u        /* moments for which memory is asked at once */
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

static void sort_moments(struct timeline *timeline)
{
    size_t *ends;

    if ( !timeline->mixed )
        return;
    ends = must(calloc(2 * (timeline->bins + 1ul), sizeof(*ends)));
    sort_by_bin(timeline, ends, ends + timeline->bins + 1);
    free(ends);
    timeline->mixed = false;
}

/* Counts samples in the moment of their cell that came last, if it is of the
 * newest bin, of theirs, and has room for them, or in a new one: there is room.
 * So samples in the order of time make no two moments that are alike. */
static void put_moment(struct timeline *timeline, const struct moment *from)
{
    uint32_t *latest = &timeline->latest[from->cell];
    struct moment *known = timeline->moments + *latest;

    if ( *latest >= timeline->newest && *latest < timeline->count &&
         known->cell == from->cell && known->bin == from->bin &&
         from->count <= MOMENT_MOST - known->count )
    {
        known->count += from->count;
        return;
    }
    *latest = (uint32_t)timeline->count;
    timeline->moments[timeline->count++] = *from;
}

/* Moments of a cell in one bin become one, or as few as their samples have room
 * in. */
static void merge(struct timeline *timeline)
{
    const size_t count = timeline->count;
    uint32_t bin = UINT32_MAX;

    sort_moments(timeline);
    timeline->count = 0;
    for ( size_t i = 0; i < count; i++ )
    {
        const struct moment from = timeline->moments[i];

        if ( i + AHEAD < count )
            timeline_expect(timeline, timeline->moments[i + AHEAD].cell);
        if ( from.bin != bin )
            timeline->newest = timeline->count;
        bin = from.bin;
        put_moment(timeline, &from);
    }
}

static uint32_t count_cells(const struct timeline *timeline)
{
    uint32_t last = 0;

    for ( size_t i = 0; i < timeline->count; i++ )
        if ( timeline->moments[i].cell > last )
            last = timeline->moments[i].cell;
    return last + 1;
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

/* While samples come, and in the end. */
static size_t most_moments(const struct timeline *timeline)
{
    return timeline->most ? timeline->most : TIMELINE_MOMENTS;
}

static size_t few_moments(const struct timeline *timeline)
{
    return timeline->most ? timeline->most : TIMELINE_KEPT;
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

/* Room is made by merging if that leaves an eighth of it, so that it is not
 * done again at once. */
static void make_moment_room(struct timeline *timeline)
{
    const size_t few = few_moments(timeline), most = most_moments(timeline);
    const size_t steps[] = {few + few / 4, most, SIZE_MAX};
    size_t room = timeline->room ? 2 * timeline->room : 4096;
    struct moment *moments;

    if ( timeline->count < timeline->room )
        return;
    if ( timeline->count >= most )
        make_few(timeline, most / 2, 1);
    else if ( timeline->count >= few && count_cells(timeline) < few )
        make_few(timeline, few, BINS_LEAST);
    else if ( timeline->count >= MERGE_FROM )
        merge(timeline);
    if ( timeline->count < timeline->room - timeline->room / 8 )
        return;
    for ( size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++ )
        if ( timeline->room < steps[i] && room > steps[i] )
            room = steps[i];
    moments = must(reallocarray(timeline->moments, room, sizeof(*moments)));
    timeline->moments = moments;
    timeline->room = room;
}

/* Cells come one after the other. */
static void make_cell_room(struct timeline *timeline, uint32_t cell)
{
    const size_t cells = 2ul * cell + 1024;
    uint32_t *latest;

    if ( cell < timeline->cells )
        return;
    latest = must(reallocarray(timeline->latest, cells, sizeof(*latest)));
    memset(latest + timeline->cells, 0,
           (cells - timeline->cells) * sizeof(*latest));
    timeline->latest = latest;
    timeline->cells = cells;
}

static void add_samples(struct timeline *timeline, uint64_t time, uint32_t cell,
                        uint64_t samples)
{
    uint64_t since, bin;

    timeline_begin(timeline, time);
    since = time > timeline->origin ? time - timeline->origin : 0;
    make_moment_room(timeline);
    make_cell_room(timeline, cell);
    while ( (bin = since / timeline->width) >= TIMELINE_BINS )
        widen_bins(timeline);
    if ( bin >= timeline->bins )
    {
        timeline->bins = (uint32_t)bin + 1;
        timeline->newest = timeline->count;
    }
    timeline->mixed |= bin + 1 < timeline->bins;
    put_moment(timeline, &(struct moment){.cell = cell,
                                          .bin = (uint32_t)bin & BIN_MASK,
                                          .count = samples & MOMENT_MOST});
}

void timeline_add(struct timeline *timeline, uint64_t time, uint32_t cell)
{
    if ( timeline->wanted )
        add_samples(timeline, time, cell, 1);
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
        add_samples(timeline, span->from + length * i / parts, cell,
                    samples * (i + 1) / parts - samples * i / parts);
}

void timeline_finish(struct timeline *timeline)
{
    const size_t few = few_moments(timeline);

    if ( timeline->count <= few || count_cells(timeline) >= few )
        sort_moments(timeline);
    else
        make_few(timeline, few, BINS_LEAST);
    free(timeline->latest);
    timeline->latest = NULL;
    timeline->cells = 0;
    timeline->room = timeline->count + 1;
    timeline->moments = must(reallocarray(timeline->moments, timeline->room,
                                          sizeof(*timeline->moments)));
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->latest);
    free(timeline->moments);
}
