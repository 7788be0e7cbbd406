/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "time-range.h"

#include "base/duration.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINT_MAX      63u
#define BEFORE_END_MAX (UINT64_MAX / NS_PER_S) /* seconds */

static bool parse_point(const char *text, struct time_point *ret)
{
    uint64_t seconds = 0;

    *ret = (struct time_point){0};
    if ( !*text )
        return true;
    if ( *text == '-' )
    {
        ret->kind = TIME_BEFORE_END;
        if ( !duration_parse(text + 1, BEFORE_END_MAX, &seconds) )
            return false;
        ret->ns = seconds * NS_PER_S;
        return true;
    }
    ret->kind = strchr(text, 'T') ? TIME_UTC : TIME_SINCE_START;
    return ret->kind == TIME_UTC ? clock_parse_utc(text, &ret->ns)
                                 : clock_parse_seconds(text, &ret->ns);
}

bool time_range_parse(const char *text, struct time_range *ret)
{
    const char *dots = strstr(text, "..");
    char from[POINT_MAX + 1];

    if ( !dots || (size_t)(dots - text) > POINT_MAX )
        return false;
    snprintf(from, sizeof(from), "%.*s", (int)(dots - text), text);
    if ( !parse_point(from, &ret->from) || !parse_point(dots + 2, &ret->to) )
        return false;
    if ( ret->from.kind != ret->to.kind || ret->to.kind == TIME_OPEN )
        return true;
    return ret->from.kind == TIME_BEFORE_END ? ret->from.ns > ret->to.ns
                                             : ret->from.ns < ret->to.ns;
}

static uint64_t resolve_point(const struct time_point *point,
                              const struct clocks *clocks, uint64_t otherwise)
{
    uint64_t since;

    if ( point->kind == TIME_OPEN )
        return otherwise;
    if ( point->kind == TIME_SINCE_START )
        return clocks->start + point->ns;
    if ( point->kind == TIME_BEFORE_END )
        return clocks->end > point->ns ? clocks->end - point->ns : 0;
    if ( point->ns >= clocks->utc )
        return clocks->utc_at + (point->ns - clocks->utc);
    since = clocks->utc - point->ns;
    return since < clocks->utc_at ? clocks->utc_at - since : 0;
}

bool time_range_resolve(const struct time_range *range,
                        const struct clocks *clocks, struct time_span *ret)
{
    bool utc = range->from.kind == TIME_UTC || range->to.kind == TIME_UTC;

    ret->from = resolve_point(&range->from, clocks, 0);
    ret->to = resolve_point(&range->to, clocks, UINT64_MAX);
    return clocks->utc_known || !utc;
}

void clocks_note_utc(struct clocks *clocks, uint64_t time, const char *value)
{
    char *end;
    uint64_t utc = strtoull(value, &end, 10);

    /* At a time that is not known it says nothing. */
    if ( clocks->utc_known || !time || !*value || *end )
        return;
    clocks->utc = utc;
    clocks->utc_at = time;
    clocks->utc_known = true;
}

uint64_t clocks_utc(const struct clocks *clocks, uint64_t time)
{
    /* Unsigned arithmetic does what is wanted before utc_at, too. */
    return clocks->utc_known ? clocks->utc + (time - clocks->utc_at) : 0;
}
