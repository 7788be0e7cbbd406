/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"

#include <stdlib.h>

#define WIDTH_FIRST 1000000u   /* 1 ms */
#define MERGE_FROM  (1u << 20) /* moments; fewer are left as they came */

void timeline_begin(struct timeline *timeline, uint64_t time)
{
    if ( timeline->begun )
        return;
    timeline->begun = true;
    timeline->origin = time;
    timeline->width = WIDTH_FIRST;
}

static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;

    if ( a->bin != b->bin )
        return a->bin < b->bin ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

/* Moments that are alike become one. */
static void merge(struct timeline *timeline)
{
    struct moment *to = timeline->moments;

    if ( !timeline->count )
        return;
    qsort(timeline->moments, timeline->count, sizeof(*to), compare_moments);
    for ( size_t i = 1; i < timeline->count; i++ )
    {
        const struct moment *from = &timeline->moments[i];

        if ( !compare_moments(to, from) )
            to->count += from->count;
        else
            *++to = *from;
    }
    timeline->count = (size_t)(to - timeline->moments) + 1;
}

/* 1, 2, 10, 20, 100, ... times the first width. */
static void widen(struct timeline *timeline)
{
    uint64_t power = WIDTH_FIRST;
    uint32_t factor;

    while ( power * 10 <= timeline->width )
        power *= 10;
    factor = timeline->width == power ? 2 : 5;
    timeline->width *= factor;
    for ( size_t i = 0; i < timeline->count; i++ )
        timeline->moments[i].bin /= factor;
    if ( timeline->bins )
        timeline->bins = (timeline->bins - 1) / factor + 1;
}

static size_t most(const struct timeline *timeline)
{
    return timeline->most ? timeline->most : TIMELINE_MOMENTS;
}

/* Wider bins have more that is alike.  With one bin, cells alone are many. */
static void make_few(struct timeline *timeline)
{
    merge(timeline);
    while ( timeline->count > most(timeline) / 4 * 3 && timeline->bins > 1 )
    {
        widen(timeline);
        merge(timeline);
    }
}

/* Room is made by merging as long as that leaves a quarter of it, so that it
 * is not done again at once. */
static bool make_room(struct timeline *timeline)
{
    size_t room = timeline->room ? 2 * timeline->room : 4096;
    struct moment *moments;

    if ( timeline->count < timeline->room )
        return true;
    if ( timeline->count >= MERGE_FROM )
        make_few(timeline);
    if ( timeline->count < timeline->room / 4 * 3 )
        return true;
    if ( room > most(timeline) && timeline->count < most(timeline) )
        room = most(timeline);
    moments = reallocarray(timeline->moments, room, sizeof(*moments));
    if ( !moments )
        return false;
    timeline->moments = moments;
    timeline->room = room;
    return true;
}

bool timeline_add(struct timeline *timeline, uint64_t time, uint32_t cell)
{
    uint64_t since;
    uint32_t bin;

    if ( !timeline->wanted )
        return true;
    timeline_begin(timeline, time);
    since = time > timeline->origin ? time - timeline->origin : 0;
    while ( since / timeline->width >= TIMELINE_BINS )
        widen(timeline);
    if ( !make_room(timeline) )
        return false;
    bin = (uint32_t)(since / timeline->width);
    timeline->moments[timeline->count++] = (struct moment){bin, cell, 1};
    if ( bin >= timeline->bins )
        timeline->bins = bin + 1;
    return true;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->moments);
}
