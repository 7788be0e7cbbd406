/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"

#include "base/sort-rows.h"

#include <stdlib.h>

#define MOMENT_WORDS (sizeof(struct moment) / sizeof(uint32_t))
#define WIDTH_FIRST  1000000u   /* 1 ms */
#define MERGE_FROM   (1u << 20) /* moments; fewer are left as they came */

void timeline_begin(struct timeline *timeline, uint64_t time)
{
    if ( timeline->begun )
        return;
    timeline->begun = true;
    timeline->origin = time;
    timeline->width = WIDTH_FIRST;
}

/* Moments that are alike become one.  False if there is no memory. */
static bool merge(struct timeline *timeline)
{
    struct moment *to = timeline->moments;

    if ( !timeline->count )
        return true;
    if ( !sort_rows((uint32_t *)to, timeline->count, MOMENT_WORDS, 2) )
        return false;
    for ( size_t i = 1; i < timeline->count; i++ )
    {
        const struct moment *from = &timeline->moments[i];

        if ( to->bin == from->bin && to->cell == from->cell )
            to->count += from->count;
        else
            *++to = *from;
    }
    timeline->count = (size_t)(to - timeline->moments) + 1;
    return true;
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
static bool make_few(struct timeline *timeline)
{
    bool done = merge(timeline);

    while ( done && timeline->count > most(timeline) / 2 && timeline->bins > 1 )
    {
        widen(timeline);
        done = merge(timeline);
    }
    return done;
}

/* Room is made by merging as long as that leaves a half of it, so that it is
 * not done again at once. */
static bool make_room(struct timeline *timeline)
{
    size_t room = timeline->room ? 2 * timeline->room : 4096;
    struct moment *moments;

    if ( timeline->count < timeline->room )
        return true;
    if ( timeline->count >= MERGE_FROM && !make_few(timeline) )
        return false;
    if ( timeline->count < timeline->room / 2 )
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
    uint64_t since, bin;

    if ( !timeline->wanted )
        return true;
    timeline_begin(timeline, time);
    since = time > timeline->origin ? time - timeline->origin : 0;
    if ( !make_room(timeline) )
        return false;
    while ( (bin = since / timeline->width) >= TIMELINE_BINS )
        widen(timeline);
    timeline->moments[timeline->count++] = (struct moment){(uint32_t)bin, cell,
                                                           1};
    if ( bin >= timeline->bins )
        timeline->bins = (uint32_t)bin + 1;
    return true;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->moments);
}
