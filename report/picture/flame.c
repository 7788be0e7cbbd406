/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays out a tree for a picture. */
#include "flame.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>

/* Push the children of a frame that are long enough onto the stack of waiting
 * frames, the last child first.  Returns the new height of the stack. */
static size_t push_below(struct flame *flame, const struct flame_look *look,
                         const void *data, const struct flame_frame *frame,
                         struct flame_frame *waiting, size_t count)
{
    uint32_t children = look->children(data, frame->node);
    uint64_t start = frame->start;
    size_t first = count;

    for ( uint32_t i = 0; i < children; i++ )
    {
        uint32_t child = look->child(data, frame->node, i);
        uint64_t length = look->length(data, child);

        if ( length && length >= flame->least )
            waiting[count++] = (struct flame_frame){child, frame->depth + 1,
                                                    start, length, false};
        else if ( length )
        {
            flame->narrow++;
            flame->hidden += length;
        }
        start += length;
    }
    for ( size_t last = count; first + 1 < last; first++ )
    {
        struct flame_frame swapped = waiting[--last];

        waiting[last] = waiting[first];
        waiting[first] = swapped;
    }
    return count;
}

void flame_build(struct flame *flame, const struct flame_look *look,
                 const void *data, size_t nodes, uint64_t part)
{
    struct flame_frame *waiting SCOPE_FREE = must(
        calloc(nodes, sizeof(*waiting)));
    size_t count = 0;

    *flame = (struct flame){.total = look->length(data, 0)};
    flame->least = flame->total / part;
    if ( flame->total )
        waiting[count++] = (struct flame_frame){0, 0, 0, flame->total, false};
    while ( count )
    {
        struct flame_frame frame = waiting[--count];
        const size_t first = count;
        const bool absent = look->absent && look->absent(data, frame.node) &&
                            look->children(data, frame.node);

        /* Those below what is absent take its place. */
        if ( absent )
            frame.depth--;
        else
            *must(vector_add(flame)) = frame;
        if ( !absent && frame.depth >= flame->rows )
            flame->rows = frame.depth + 1;
        count = push_below(flame, look, data, &frame, waiting, count);
        for ( size_t i = first; absent && i < count; i++ )
            waiting[i].torn = true;
    }
}

void flame_free(struct flame *flame)
{
    vector_free(flame);
}
