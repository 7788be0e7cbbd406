/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfetto-tracks.h"

#include "base/must.h"
#include "base/names.h"
#include "base/protobuf.h"
#include "base/scope.h"
#include "export-waits.h"
#include "report/model/format.h"
#include "report/pace/session-events.h"
#include "report/waits/waits-text.h"

#include <stdlib.h>

#define PACKETS  65536u /* bytes of packets that go out at once */
#define SEQUENCE 1u

static void flush(struct perfetto_out *out, size_t worth)
{
    if ( out->packets.used < worth )
        return;
    fwrite(out->packets.bytes, 1, out->packets.used, out->file);
    out->packets.used = 0;
}

void perfetto_put_packet(struct perfetto_out *out,
                         enum perfetto_sequence_flag flag)
{
    protobuf_number(&out->packet, PERFETTO_SEQUENCE, SEQUENCE);
    protobuf_number(&out->packet, PERFETTO_SEQUENCE_FLAGS, flag);
    protobuf_message(&out->packets, PERFETTO_PACKET, &out->packet);
    flush(out, PACKETS);
}

void perfetto_end(struct perfetto_out *out)
{
    flush(out, 1);
    buffer_free(&out->packets);
    buffer_free(&out->packet);
    buffer_free(&out->part);
    buffer_free(&out->inner);
}

void perfetto_put_track(struct perfetto_out *out, uint64_t id, uint64_t parent,
                        const char *name)
{
    protobuf_number(&out->part, PERFETTO_TRACK_ID, id);
    protobuf_number(&out->part, PERFETTO_TRACK_PARENT, parent);
    protobuf_text(&out->part, PERFETTO_TRACK_NAME, name);
    protobuf_message(&out->packet, PERFETTO_TRACK, &out->part);
    perfetto_put_packet(out, PERFETTO_NEEDS);
}

static void begin_event(struct perfetto_out *out, uint64_t track,
                        enum perfetto_event_type type, uint64_t time)
{
    protobuf_number(&out->packet, PERFETTO_TIMESTAMP, time);
    protobuf_number(&out->part, PERFETTO_EVENT_TYPE, type);
    protobuf_number(&out->part, PERFETTO_EVENT_TRACK, track);
}

static void end_event(struct perfetto_out *out)
{
    protobuf_message(&out->packet, PERFETTO_TRACK_EVENT, &out->part);
    perfetto_put_packet(out, PERFETTO_NEEDS);
}

void perfetto_put_event(struct perfetto_out *out, uint64_t track,
                        enum perfetto_event_type type, uint64_t time,
                        const char *name)
{
    begin_event(out, track, type, time);
    protobuf_text(&out->part, PERFETTO_EVENT_NAME, name);
    end_event(out);
}

static void put_value(struct perfetto_out *out, uint64_t track, uint64_t time,
                      uint64_t value)
{
    begin_event(out, track, PERFETTO_COUNTER_VALUE, time);
    protobuf_element(&out->part, PERFETTO_EVENT_VALUE, value);
    end_event(out);
}

/* Each kind has a track, which is said of with its first event. */
static uint64_t event_track(struct perfetto_out *out, struct names *kinds,
                            const char *kind)
{
    const size_t known = kinds->count;
    uint32_t number;

    must_do(names_add(kinds, kind, &number));
    if ( kinds->count > known )
        perfetto_put_track(out, PERFETTO_EVENT_TRACKS + number, PERFETTO_HOST,
                           kind);
    return PERFETTO_EVENT_TRACKS + number;
}

static void put_events(struct perfetto_out *out, const struct export_walk *walk)
{
    const struct time_span span = walk_span(walk);
    struct session_events events;
    struct names kinds;

    names_init(&kinds);
    events_init(&events, walk->loaded, &span);
    for ( size_t i = 0; i < events.count; i++ )
    {
        const struct session_event *event = &events.items[i];
        const uint64_t track = event_track(out, &kinds, event->name);
        const bool moment = event->from == event->to;

        perfetto_put_event(out, track,
                           moment ? PERFETTO_INSTANT : PERFETTO_SLICE_BEGIN,
                           event->from, event->text);
        if ( !moment )
            perfetto_put_event(out, track, PERFETTO_SLICE_END, event->to, NULL);
    }
    events_free(&events);
    names_free(&kinds);
}

/* A track for values, in a unit, which the format has names for or not. */
static void put_counter(struct perfetto_out *out, uint64_t id, const char *name,
                        enum perfetto_unit unit)
{
    protobuf_number(&out->inner, PERFETTO_COUNTER_UNIT, unit);
    protobuf_message(&out->part, PERFETTO_TRACK_COUNTER, &out->inner);
    perfetto_put_track(out, id, PERFETTO_HOST, name);
}

/* A sum, so that what is between two values is their difference. */
static void put_losses(struct perfetto_out *out, const struct export_walk *walk)
{
    const struct loaded *loaded = walk->loaded;
    uint64_t sum = 0;

    put_counter(out, PERFETTO_LOST_TRACK, "samples lost", PERFETTO_UNIT_COUNT);
    put_value(out, PERFETTO_LOST_TRACK, loaded->clocks.start, 0);
    for ( size_t i = 0; i < loaded->losses.count; i++ )
    {
        sum += loaded->losses.items[i].lost;
        put_value(out, PERFETTO_LOST_TRACK, loaded->losses.items[i].time, sum);
    }
}

/* A value holds from its time on: it is said where the time begins that it is
 * of. */
static void put_waits(struct perfetto_out *out, const struct export_walk *walk)
{
    const struct loaded *loaded = walk->loaded;
    const struct wait_bins *waits = &loaded->waits.bins;
    struct wait_bin *bins SCOPE_FREE = wait_bins_sorted(waits);
    uint64_t track = PERFETTO_COUNTER_TRACKS;

    for ( size_t kind = 0; kind < EXPORT_WAIT_KINDS; kind++ )
        for ( size_t i = 0; i < waits->bins.count; i++ )
        {
            const uint32_t domain = bins[i].key.whose;
            char *of SCOPE_FREE = NULL, *name SCOPE_FREE = NULL;

            if ( !i || bins[i - 1].key.whose != domain )
            {
                of = waits_domain_text(
                    loaded, table_at(&loaded->waits.domains, domain));
                name = must_text("%s: %s, ns a second", of,
                                 export_wait_kinds[kind].name);
                put_counter(out, ++track, name, PERFETTO_UNIT_NS);
            }
            put_value(out, track, bins[i].key.bin * waits->width,
                      export_wait_kinds[kind].time(&bins[i].times) /
                          (waits->width / NS_PER_S));
        }
}

void perfetto_put_told(struct perfetto_out *out, const struct export_walk *walk)
{
    put_events(out, walk);
    put_losses(out, walk);
    put_waits(out, walk);
}

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
