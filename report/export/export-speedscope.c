/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=speedscope: a profile for each vCPU, of samples in the order of
 * time, as github.com/jlfwong/speedscope, src/lib/file-format-spec.ts at
 * 3613918 has it.  It has neither labels nor addresses: frames are functions,
 * by the walk's numbers.
 */
#include "export-tracks.h"

#include "base/json-writer.h"
#include "base/must.h"
#include "base/scope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct speedscope {
    struct export_walk walk;
    struct export_tracks tracks;
    struct json json;
    struct {
        VECTOR(uint32_t);
    } frames; /* of a sample, from the root */
};

static void put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text);
}

/* Nothing else in the format can say what is lost. */
static void put_name(struct speedscope *speedscope)
{
    char *whole SCOPE_FREE = must(strdup("xenoprof"));
    char *part;

    for ( unsigned int i = 0; (part = walk_comment(&speedscope->walk, i)); i++ )
    {
        char *longer = must_text("%s%s%s", whole, i ? "; " : ": ", part);

        free(part);
        free(whole);
        whole = longer;
    }
    put_text(&speedscope->json, "name", whole);
}

static void put_frames(struct speedscope *speedscope)
{
    struct json *json = &speedscope->json;

    json_key(json, "shared");
    json_object_begin(json);
    json_key(json, "frames");
    json_array_begin(json);
    for ( uint32_t i = 0; i < speedscope->walk.functions.count; i++ )
    {
        const struct walk_function *function = walk_function(&speedscope->walk,
                                                             i);

        json_object_begin_flat(json);
        put_text(json, "name", function->name);
        if ( *function->source || *function->image )
            put_text(json, "file",
                     *function->source ? function->source : function->image);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

static void put_stack(struct speedscope *speedscope, uint32_t stack)
{
    const struct export_walk *walk = &speedscope->walk;
    const struct walk_stack *stacks = walk->stacks.items;
    size_t depth = 0, left;

    for ( uint32_t at = stack; at != WALK_NONE; at = stacks[at].caller )
        depth++;
    must_do(vector_reserve(&speedscope->frames, depth));
    left = depth;
    for ( uint32_t at = stack; at != WALK_NONE; at = stacks[at].caller )
        speedscope->frames.items[--left] =
            walk->frames.items[stacks[at].frame].function;
    json_numbers(&speedscope->json, speedscope->frames.items, depth);
}

static void put_samples(struct speedscope *speedscope,
                        const struct track *track)
{
    struct json *json = &speedscope->json;
    struct walk_sample sample;

    json_key(json, "samples");
    json_array_begin_flat(json);
    while ( track_next(&speedscope->tracks, track, &sample) )
        put_stack(speedscope, sample.stack);
    json_array_end(json);
    json_key(json, "weights");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < track->count; i++ )
        json_u64(json,
                 walk_amount(&speedscope->walk,
                             speedscope->tracks.numbers[track->first + i]));
    json_array_end(json);
}

static void put_profile(struct speedscope *speedscope,
                        const struct track *track)
{
    char *name SCOPE_FREE = track_name(&speedscope->tracks, track);
    struct json *json = &speedscope->json;

    json_object_begin(json);
    put_text(json, "type", "sampled");
    put_text(json, "name", name);
    put_text(json, "unit",
             walk_is_ns(&speedscope->walk) ? "nanoseconds" : "none");
    json_key(json, "startValue");
    json_u64(json, 0);
    json_key(json, "endValue");
    json_u64(json, track->amount);
    put_samples(speedscope, track);
    json_object_end(json);
}

static size_t busiest(const struct export_tracks *tracks)
{
    size_t most = 0;

    for ( size_t i = 1; i < tracks->count; i++ )
        if ( tracks->items[i].amount > tracks->items[most].amount )
            most = i;
    return most;
}

static void put_file(struct speedscope *speedscope)
{
    const struct export_tracks *tracks = &speedscope->tracks;
    struct json *json = &speedscope->json;

    json_object_begin(json);
    put_text(json, "$schema", SCHEMA);
    put_text(json, "exporter", "xenoprof@" PACKAGE_VERSION);
    put_name(speedscope);
    json_key(json, "activeProfileIndex");
    json_u64(json, busiest(tracks));
    put_frames(speedscope);
    json_key(json, "profiles");
    json_array_begin(json);
    for ( size_t i = 0; i < tracks->count; i++ )
        put_profile(speedscope, &tracks->items[i]);
    json_array_end(json);
    json_object_end(json);
}

static void print_speedscope(const struct report *report, FILE *file)
{
    struct speedscope speedscope = {.frames.count = 0};

    walk_init(&speedscope.walk, report);
    tracks_init(&speedscope.tracks, &speedscope.walk, TRACKS_OF_VCPUS);
    speedscope.tracks.no_cells = true;
    json_init(&speedscope.json, file);
    put_file(&speedscope);
    json_finish(&speedscope.json);
    vector_free(&speedscope.frames);
    tracks_free(&speedscope.tracks);
    walk_free(&speedscope.walk);
}

const struct view export_speedscope = {
    .print = print_speedscope,
    .option = "export",
    .stacks = true,
    .lines = true,
    .log = true,
    .labels = true,
    .opens = "open it at www.speedscope.app, or with speedscope FILE",
};
