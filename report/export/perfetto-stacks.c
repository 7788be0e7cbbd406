/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfetto-stacks.h"

#include "base/must.h"
#include "base/protobuf.h"

#include <stdlib.h>

void perfetto_stacks_init(struct perfetto_stacks *stacks,
                          const struct export_walk *walk,
                          struct perfetto_out *out)
{
    *stacks = (struct perfetto_stacks){.walk = walk, .out = out};
    names_init(&stacks->images);
    names_init(&stacks->sources);
    stacks->put = must(calloc(walk->stacks.count, sizeof(*stacks->put)));
}

void perfetto_stacks_free(struct perfetto_stacks *stacks)
{
    names_free(&stacks->images);
    names_free(&stacks->sources);
    vector_free(&stacks->path);
    free(stacks->put);
}

static void put_string(struct perfetto_stacks *stacks,
                       enum perfetto_interned_field field, uint64_t id,
                       const char *text)
{
    protobuf_number(&stacks->out->inner, PERFETTO_STRING_ID, id);
    protobuf_text(&stacks->out->inner, PERFETTO_STRING_TEXT, text);
    protobuf_message(&stacks->out->part, field, &stacks->out->inner);
}

static void end_interned(struct perfetto_stacks *stacks)
{
    protobuf_message(&stacks->out->packet, PERFETTO_INTERNED,
                     &stacks->out->part);
    perfetto_put_packet(stacks->out, PERFETTO_NEEDS);
}

/* Returns the number of a text, which is put when it is new. */
static uint32_t intern_text(struct perfetto_stacks *stacks, struct names *texts,
                            enum perfetto_interned_field field,
                            const char *text, bool *is_new)
{
    const size_t known = texts->count;
    uint32_t number;

    must_do(names_add(texts, text, &number));
    *is_new = texts->count > known;
    if ( *is_new )
        put_string(stacks, field, number, text);
    return number;
}

/* Each frame has a mapping: none is read without one.  Numbers of functions and
 * frames are the walk's and 1. */
static void intern_frame(struct perfetto_stacks *stacks, uint32_t number)
{
    const struct walk_frame *frame = &stacks->walk->frames.items[number];
    const struct walk_function *function = walk_function(stacks->walk,
                                                         frame->function);
    struct buffer *inner = &stacks->out->inner;
    bool is_new;
    const uint32_t image = intern_text(stacks, &stacks->images, PERFETTO_PATHS,
                                       function->image, &is_new);
    uint32_t source = 0;

    if ( is_new )
    {
        protobuf_number(inner, PERFETTO_MAPPING_ID, image);
        protobuf_number(inner, PERFETTO_MAPPING_PATHS, image);
        protobuf_message(&stacks->out->part, PERFETTO_MAPPINGS, inner);
    }
    if ( *function->source )
        source = intern_text(stacks, &stacks->sources, PERFETTO_SOURCES,
                             function->source, &is_new);
    protobuf_number(inner, PERFETTO_FRAME_ID, number + 1u);
    protobuf_number(inner, PERFETTO_FRAME_FUNCTION, frame->function + 1u);
    protobuf_number(inner, PERFETTO_FRAME_MAPPING, image);
    protobuf_number(inner, PERFETTO_FRAME_SOURCE, source);
    protobuf_number(inner, PERFETTO_FRAME_LINE, frame->line);
    protobuf_message(&stacks->out->part, PERFETTO_FRAMES, inner);
    end_interned(stacks);
}

void perfetto_put_frames(struct perfetto_stacks *stacks)
{
    for ( uint32_t i = 0; i < stacks->walk->functions.count; i++ )
    {
        put_string(stacks, PERFETTO_FUNCTION_NAMES, i + 1u,
                   walk_function(stacks->walk, i)->name);
        end_interned(stacks);
    }
    for ( uint32_t i = 0; i < stacks->walk->frames.count; i++ )
        intern_frame(stacks, i);
}

void perfetto_put_stack(struct perfetto_stacks *stacks, uint32_t stack)
{
    const struct walk_stack *all = stacks->walk->stacks.items;
    struct buffer *part = &stacks->out->part, *inner = &stacks->out->inner;
    size_t depth = 0;

    if ( stacks->put[stack] )
        return;
    stacks->put[stack] = true;
    for ( uint32_t at = stack; at != WALK_NONE; at = all[at].caller )
        depth++;
    must_do(vector_reserve(&stacks->path, depth));
    for ( uint32_t at = stack; at != WALK_NONE; at = all[at].caller )
        stacks->path.items[--depth] = all[at].frame;
    protobuf_number(inner, PERFETTO_STACK_ID, stack + 1u);
    for ( uint32_t at = stack; at != WALK_NONE; at = all[at].caller )
        protobuf_number(inner, PERFETTO_STACK_FRAMES,
                        stacks->path.items[depth++] + 1u);
    protobuf_message(part, PERFETTO_STACKS, inner);
    protobuf_message(&stacks->out->packet, PERFETTO_INTERNED, part);
}
