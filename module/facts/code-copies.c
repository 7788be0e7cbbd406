/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of a block that are not a rep movs: compilers also write a row of
 * moves, or call memcpy().
 */
#include "code-step.h"

#include <string.h>

/* Moves of one row are not further apart than this, in events: compilers mix
 * rows with what stands next to them. */
#define ROW_REACH 32

/* One end of a move, as base and distance. */
struct copy_end {
    value_id base;
    int64_t at;
};

struct move {
    struct copy_end to, from;
};

static struct copy_end end_of(const struct value_pool *pool, value_id address)
{
    struct copy_end end = {0};

    end.base = value_split(pool, address, &end.at);
    return end;
}

/* Whether an event stores what was loaded from elsewhere, in one piece. */
static bool is_move(const struct code_tracer *tracer,
                    const struct code_event *event, struct move *ret)
{
    const struct value *value = value_get(&tracer->pool, event->right);

    if ( event->kind != CODE_WRITE || value->kind != VALUE_LOAD ||
         value->width != event->width )
        return false;
    ret->to = end_of(&tracer->pool, event->left);
    ret->from = end_of(&tracer->pool, value->left);
    return true;
}

static bool lies_after(const struct value_pool *pool, struct copy_end first,
                       struct copy_end next, int64_t bytes)
{
    return next.at == first.at + bytes &&
           value_equal(pool, first.base, next.base);
}

/* Returns how many bytes the row that begins with this move has, and marks the
 * moves in it. */
static int64_t row_bytes(struct code_tracer *tracer, size_t first,
                         const struct move *start)
{
    struct code_event *events = tracer->events.items;
    int64_t bytes = events[first].width;
    struct move next;

    for ( size_t i = first + 1, last = first;
          i < tracer->events.count && i - last <= ROW_REACH; i++ )
    {
        if ( !is_move(tracer, &events[i], &next) ||
             !lies_after(&tracer->pool, start->to, next.to, bytes) ||
             !lies_after(&tracer->pool, start->from, next.from, bytes) )
            continue;
        bytes += events[i].width;
        events[i].in_row = true;
        last = i;
    }
    return bytes;
}

static bool is_memcpy(const struct code_tracer *tracer, uint64_t target)
{
    static const char *const names[] = {"memcpy", "memmove"};
    const struct xen_symbol *symbol;

    for ( size_t i = 0; i < sizeof(names) / sizeof(*names); i++ )
    {
        symbol = xen_image_find(tracer->image, names[i]);
        if ( symbol && symbol->address == target )
            return true;
    }
    return false;
}

static bool add_copy(struct code_tracer *tracer, size_t at,
                     const value_id arguments[3])
{
    uint64_t address = tracer->events.items[at].address;
    struct code_event *event = vector_add(&tracer->events);

    if ( !event )
        return false;
    event->kind = CODE_COPY;
    event->address = address;
    memcpy(event->arguments, arguments, 3 * sizeof(*arguments));
    return true;
}

/* Adds the copy that begins with this event, if one does. */
static bool look_at(struct code_tracer *tracer, size_t at)
{
    const struct code_event event = tracer->events.items[at];
    value_id arguments[3] = {event.left};
    struct move move;
    int64_t bytes;

    if ( event.kind == CODE_CALL && is_memcpy(tracer, event.target) )
        return add_copy(tracer, at, event.arguments);
    if ( event.in_row || !is_move(tracer, &event, &move) )
        return true;
    bytes = row_bytes(tracer, at, &move);
    arguments[1] = value_get(&tracer->pool, event.right)->left;
    arguments[2] = value_constant(&tracer->pool, bytes);
    return bytes == event.width || add_copy(tracer, at, arguments);
}

bool code_find_copies(struct code_tracer *tracer)
{
    size_t count = tracer->events.count;

    for ( size_t i = 0; i < count; i++ )
        if ( !look_at(tracer, i) )
            return false;
    return true;
}
