/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of a session's time as a user names it, START..END, where each end
 * is seconds since the session's start, -1h or the like before its end, a time
 * in UTC, or left out.
 */
#ifndef XENOPROF_REPORT_MODEL_TIME_RANGE_H
#define XENOPROF_REPORT_MODEL_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct time_point {
    enum { TIME_OPEN = 0, TIME_SINCE_START, TIME_BEFORE_END, TIME_UTC } kind;
    uint64_t ns;
};

struct time_range {
    struct time_point from;
    struct time_point to;
};

/* The same in Xen's time: from <= time < to. */
struct time_span {
    uint64_t from;
    uint64_t to;
};

/* What is known of a session's clocks. */
struct clocks {
    uint64_t start;  /* of the session, Xen's time */
    uint64_t end;    /* of the session; 0: not asked for */
    uint64_t utc;    /* ns since 1970 ... */
    uint64_t utc_at; /* ... when Xen's time was this */
    bool utc_known;
};

/* Returns false if text is not a range, or it ends before it starts. */
bool time_range_parse(const char *text, struct time_range *ret);

static inline bool time_range_all(const struct time_range *range)
{
    return range->from.kind == TIME_OPEN && range->to.kind == TIME_OPEN;
}

/* Whether the session's end must be known. */
static inline bool time_range_needs_end(const struct time_range *range)
{
    return range->from.kind == TIME_BEFORE_END ||
           range->to.kind == TIME_BEFORE_END;
}

/* False if UTC is named and not known. */
bool time_range_resolve(const struct time_range *range,
                        const struct clocks *clocks, struct time_span *ret);

/* At a time of Xen's it was so many ns since 1970, as a session says; what it
 * said first counts. */
void clocks_note_utc(struct clocks *clocks, uint64_t time, const char *value);
/* UTC of a time of Xen's; 0 if not known. */
uint64_t clocks_utc(const struct clocks *clocks, uint64_t time);

#endif
