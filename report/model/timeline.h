/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When samples fell, for views that show that.  Time is cut into bins of one
 * width, which grows with what is recorded: the narrowest of 1, 2, 10, 20,
 * 100, 200 ms, 1 s, 2 s, 10 s and so on that makes at most TIMELINE_BINS of
 * them, and with which at most TIMELINE_KEPT moments are kept.  Where cells
 * alone are as many, or that would leave fewer than ten bins, TIMELINE_MOMENTS
 * are held while samples come.  Each width is a multiple of the one before, and
 * up to 200 ms each is a part of a second.
 */
#ifndef XENOPROF_REPORT_MODEL_TIMELINE_H
#define XENOPROF_REPORT_MODEL_TIMELINE_H

#include "base/id-table.h"
#include "time-range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_BINS    20000u
#define TIMELINE_MOMENTS (8u << 20)
#define TIMELINE_KEPT    2500000u /* a page of 5 MB: bench/goals.sh */

#define MOMENT_BIN_BITS 15u
#define MOMENT_MOST     ((1u << (32 - MOMENT_BIN_BITS)) - 1)

/* Samples of one cell in one bin, or some of them: there are millions. */
struct moment {
    uint32_t cell; /* index into loaded.cells */
    uint32_t bin : MOMENT_BIN_BITS;
    uint32_t count : 32 - MOMENT_BIN_BITS; /* at most MOMENT_MOST */
};

_Static_assert(TIMELINE_BINS <= 1u << MOMENT_BIN_BITS, "a bin has room");

struct timeline {
    bool wanted; /* else nothing is gathered */
    size_t most; /* instead of both of these; 0: these */
    bool begun;
    uint64_t begin;  /* Xen's time before which nothing is */
    uint64_t origin; /* the second's beginning, where bin 0 begins */
    uint64_t width;  /* ns */
    uint32_t bins;   /* one more than the last that has a sample */
    struct moment *moments;
    size_t count, room;
    bool mixed;       /* they are not in the order of their bins */
    size_t newest;    /* index from which on moments of the newest bin are */
    uint32_t *latest; /* while samples come, by cell: index of what is likely to
                         be its latest moment */
    size_t cells;     /* so many of these */
};

/* The first time that is told is where the timeline begins, and bin 0 with that
 * second of Xen's time, so that each second begins with a bin; what is earlier
 * falls into bin 0, too. */
void timeline_begin(struct timeline *timeline, uint64_t time);

/* Returns how many bins at the front are over before the timeline begins. */
static inline uint32_t timeline_over(const struct timeline *timeline)
{
    return timeline->begun ? (uint32_t)((timeline->begin - timeline->origin) /
                                        timeline->width)
                           : 0;
}

/* Returns Xen's time at which the bin begins in which the timeline does. */
static inline uint64_t timeline_start(const struct timeline *timeline)
{
    return timeline->origin + timeline_over(timeline) * timeline->width;
}

/* Asks for the memory that adding to a cell needs. */
static inline void timeline_expect(const struct timeline *timeline,
                                   uint32_t cell)
{
    /* Nothing was added yet: there is none. */
    if ( timeline->latest )
        memory_expect(timeline->latest + cell);
}

void timeline_add(struct timeline *timeline, uint64_t time, uint32_t cell);
/* The same of so many that were taken all over a span. */
void timeline_spread(struct timeline *timeline, const struct time_span *span,
                     uint32_t cell, uint64_t samples);
/* Nothing comes any more: puts moments in the order of their bins, which become
 * wider if there are too many. */
void timeline_finish(struct timeline *timeline);
void timeline_free(struct timeline *timeline);

#endif
