/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slowed.h"

#include "report/text/json-members.h"
#include "report/model/format.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 4u

/* What is known while attributes are gone through. */
struct gone_through {
    uint64_t hertz; /* the last frequency, */
    uint64_t time;  /* and from when on */
    bool is_slow;
};

/* Returns whether this ends the stretch. */
static bool take_lowered(struct gone_through *state, uint64_t time,
                         const char *by, struct slowed *ret)
{
    if ( !strcmp(by, SESSION_LOWERED_NO) )
    {
        ret->until = time;
        return state->is_slow;
    }
    if ( !state->is_slow )
        *ret = (struct slowed){
            .since = time,
            /* A file that begins in a stretch may have this first. */
            .hertz = state->time > time ? state->hertz : 0,
        };
    state->is_slow = true;
    ret->budget |= strstr(by, SESSION_LOWERED_BUDGET) != NULL;
    ret->reader |= strstr(by, SESSION_LOWERED_READER) != NULL;
    return false;
}

bool slowed_next(const struct loaded *loaded, size_t *at, struct slowed *ret)
{
    struct gone_through state = {.hertz = 0};

    while ( *at < loaded->attributes.count )
    {
        const struct attribute *one = &loaded->attributes.items[(*at)++];
        const char *key = names_text(&loaded->names, one->key);
        const char *value = names_text(&loaded->names, one->value);

        if ( !strcmp(key, SESSION_ATTRIBUTE_FREQUENCY) )
        {
            state.hertz = strtoull(value, NULL, 10);
            state.time = one->time;
            if ( state.is_slow && (!ret->hertz || state.hertz < ret->hertz) )
                ret->hertz = state.hertz;
        }
        else if ( !strcmp(key, SESSION_ATTRIBUTE_LOWERED) &&
                  take_lowered(&state, one->time, value, ret) )
            return true;
    }
    return state.is_slow;
}

const char *slowed_why(const struct slowed *slowed)
{
    if ( !slowed->reader )
        return "sampling cost more than its budget";
    return slowed->budget ? "rings were not read in time, and sampling cost "
                            "more than its budget"
                          : "rings were not read in time";
}

void slowed_add(struct header_line *line, const struct loaded *loaded)
{
    char since[CLOCK_TEXT], until[CLOCK_TEXT];
    struct slowed slowed;
    size_t count = 0;

    for ( size_t at = 0; slowed_next(loaded, &at, &slowed); count++ )
    {
        if ( count >= SHOWN )
            continue;
        clock_format_length(loaded_since(loaded, slowed.since), since);
        clock_format_length(loaded_since(loaded, slowed.until), until);
        header_line_add(line, "%s", count ? "; " : "");
        if ( slowed.hertz )
            header_line_add(line, "to %" PRIu64 " Hz ", slowed.hertz);
        header_line_add(line, "from %s %s%s (%s)", since,
                        slowed.until ? "to " : "on", slowed.until ? until : "",
                        slowed_why(&slowed));
    }
    if ( count > SHOWN )
        header_line_add(line, "; and %zu times more (--json has all)",
                        count - SHOWN);
}

static void put_one(struct json *json, const struct loaded *loaded,
                    const struct slowed *slowed)
{
    json_object_begin_flat(json);
    json_put_number(json, "from_ns", loaded_since(loaded, slowed->since));
    json_key(json, "to_ns");
    if ( slowed->until )
        json_u64(json, loaded_since(loaded, slowed->until));
    else
        json_null(json);
    json_key(json, "frequency");
    if ( slowed->hertz )
        json_u64(json, slowed->hertz);
    else
        json_null(json);
    json_put_text(json, "why", slowed_why(slowed));
    json_key(json, "budget");
    json_bool(json, slowed->budget);
    json_key(json, "reader");
    json_bool(json, slowed->reader);
    json_object_end(json);
}

void slowed_put_json(struct json *json, const struct loaded *loaded)
{
    struct slowed slowed;
    size_t at = 0;

    if ( !slowed_next(loaded, &at, &slowed) )
        return;
    json_key(json, "slowed");
    json_array_begin(json);
    do
        put_one(json, loaded, &slowed);
    while ( slowed_next(loaded, &at, &slowed) );
    json_array_end(json);
}
