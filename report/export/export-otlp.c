/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=otlp: a message ProfilesData of OpenTelemetry (otlp-fields.h), which
 * is also what a collector takes.  A type of samples is a profile; of what is
 * alike in stack and attributes each sample has a time and a value.
 *
 * A message says how long it is before what is in it, so samples are put
 * together twice: to count their bytes, and to write them.
 */
#include "base/must.h"
#include "base/protobuf.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "otlp-dictionary.h"
#include "otlp-fields.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD 16u /* samples whose memory is asked for at once */

#define SERVICE "xen" /* what is profiled: a host with all that runs on it */

/* A profile: its fields before its samples, and how long these are. */
struct otlp_profile {
    uint32_t type;
    struct buffer head;
    size_t samples; /* bytes */
};

struct otlp {
    struct export_walk walk;
    struct otlp_dictionary dictionary;
    FILE *file;
    uint32_t *order; /* the walk's numbers, those of a cell together */
    size_t next;     /* of these */
    struct buffer sample, list, times, out;
    struct otlp_profile profiles[XENOPROF_TYPES_MAX];
    size_t profile_count;
};

/* Numbers of a cell stay in the order of time. */
static void put_order(struct otlp *otlp)
{
    const struct export_walk *walk = &otlp->walk;
    const size_t count = walk_count(walk), cells = walk->loaded->cells.count;
    size_t *from SCOPE_FREE = must(calloc(cells + 2, sizeof(*from)));

    otlp->order = must(calloc(count + 1, sizeof(*otlp->order)));
    for ( size_t i = 0; i < count; i++ )
        from[walk_cell(walk, i) + 1]++;
    for ( size_t i = 0; i < cells; i++ )
        from[i + 1] += from[i];
    for ( size_t i = 0; i < count; i++ )
        otlp->order[from[walk_cell(walk, i)]++] = (uint32_t)i;
}

static void put_labels(struct otlp *otlp, const struct cell *cell, bool sampled)
{
    if ( !sampled )
        protobuf_packed(&otlp->list, otlp_unsampled(&otlp->dictionary));
    for ( unsigned int label = 0; label < WALK_LABELS; label++ )
    {
        const uint32_t attribute = otlp_label(&otlp->dictionary, cell,
                                              (enum walk_label)label);

        if ( attribute )
            protobuf_packed(&otlp->list, attribute);
    }
    protobuf_message(&otlp->sample, OTLP_SAMPLE_ATTRIBUTES, &otlp->list);
}

/* Puts all of a cell into sample, which is left empty if nothing is walked of
 * it. */
static void put_cell(struct otlp *otlp, const struct cell *cell)
{
    const uint32_t index = (uint32_t)table_index(&otlp->walk.loaded->cells,
                                                 cell);
    /* And what none is logged of. */
    const size_t end = otlp->next + otlp->walk.cells[index].logged + 1;
    const struct sample_log *log = &otlp->walk.loaded->log;
    struct walk_sample taken;
    uint32_t stack = WALK_NONE, number;
    bool sampled = false;

    while ( otlp->next < end )
    {
        if ( otlp->next + AHEAD < walk_count(&otlp->walk) )
            memory_expect(&log->items[otlp->order[otlp->next + AHEAD]]);
        number = otlp->order[otlp->next++];
        if ( !walk_there(&otlp->walk, number) )
            continue;
        walk_take(&otlp->walk, number, &taken);
        stack = taken.stack;
        sampled |= taken.count > 0;
        protobuf_packed(&otlp->list, taken.amount);
        protobuf_packed64(&otlp->times, walk_utc(&otlp->walk, taken.time));
    }
    if ( stack == WALK_NONE )
        return;
    protobuf_message(&otlp->sample, OTLP_SAMPLE_VALUES, &otlp->list);
    protobuf_message(&otlp->sample, OTLP_SAMPLE_TIMES, &otlp->times);
    protobuf_number(&otlp->sample, OTLP_SAMPLE_STACK,
                    otlp_stack(&otlp->dictionary, stack));
    put_labels(otlp, cell, sampled);
}

/* What is put together goes out. */
static void write_out(struct otlp *otlp)
{
    fwrite(otlp->out.bytes, 1, otlp->out.used, otlp->file);
    otlp->out.used = 0;
}

/* Writes a profile's samples, or only counts their bytes. */
static void put_samples(struct otlp *otlp, struct otlp_profile *profile,
                        bool write)
{
    const struct table *cells = &otlp->walk.loaded->cells;

    otlp->next = profile->samples = 0;
    for ( size_t i = 0; i < cells->count; i++ )
    {
        const struct cell *cell = table_at(cells, i);

        put_cell(otlp, cell);
        if ( !otlp->sample.used || cell->key.type != profile->type )
        {
            otlp->sample.used = 0;
            continue;
        }
        protobuf_message(&otlp->out, OTLP_SAMPLES, &otlp->sample);
        profile->samples += otlp->out.used;
        if ( write )
            write_out(otlp);
        otlp->out.used = 0;
    }
}

static void put_type(struct otlp *otlp, struct otlp_profile *profile,
                     unsigned int field)
{
    const struct sample_type *type =
        &otlp->walk.loaded->types.type[profile->type];

    /* As others call what a processor was taken for. */
    protobuf_number(
        &otlp->list, OTLP_TYPE_NAME,
        otlp_text(&otlp->dictionary,
                  profile->type == XENOPROF_TYPE_TIME ? "cpu" : type->name));
    protobuf_number(&otlp->list, OTLP_TYPE_UNIT,
                    otlp_text(&otlp->dictionary, walk_unit(type)));
    protobuf_message(&profile->head, field, &otlp->list);
}

static void put_profile_head(struct otlp *otlp, struct otlp_profile *profile)
{
    const struct time_span span = walk_span(&otlp->walk);
    const struct types *types = &otlp->walk.loaded->types;

    put_type(otlp, profile, OTLP_SAMPLE_TYPE);
    protobuf_fixed64(&profile->head, OTLP_TIME,
                     walk_utc(&otlp->walk, span.from));
    /* Samples may be of its last ns, and times are below its end. */
    protobuf_number(&profile->head, OTLP_DURATION, span.to - span.from + 1);
    put_type(otlp, profile, OTLP_PERIOD_TYPE);
    protobuf_number(&profile->head, OTLP_PERIOD,
                    profile->type == types->shown
                        ? walk_period(&otlp->walk)
                        : types->type[profile->type].period);
}

/* The type that is shown is first: readers show that one unless they are
 * asked. */
static void put_profiles(struct otlp *otlp)
{
    const uint32_t shown = otlp->walk.loaded->types.shown;
    uint32_t types[XENOPROF_TYPES_MAX];
    const size_t count = walk_types(&otlp->walk, types);

    otlp->profiles[otlp->profile_count++].type = shown;
    for ( size_t i = 0; i < count; i++ )
        if ( types[i] != shown )
            otlp->profiles[otlp->profile_count++].type = types[i];
    for ( size_t i = 0; i < otlp->profile_count; i++ )
    {
        put_profile_head(otlp, &otlp->profiles[i]);
        put_samples(otlp, &otlp->profiles[i], false);
    }
}

static void put_resource_text(struct otlp *otlp, const char *key,
                              const char *text)
{
    struct buffer pair = {0};

    if ( !text || !*text )
        return;
    protobuf_text(&pair, OTLP_KEY, key);
    protobuf_text(&otlp->list, OTLP_VALUE_TEXT, text);
    protobuf_message(&pair, OTLP_VALUE, &otlp->list);
    protobuf_message(&otlp->sample, OTLP_RESOURCE_ATTRIBUTES, &pair);
    buffer_free(&pair);
}

/* A list of texts. */
static void put_comments(struct otlp *otlp)
{
    struct buffer pair = {0}, value = {0};
    char *text;

    protobuf_text(&pair, OTLP_KEY, "xenoprof.comment");
    for ( unsigned int i = 0; (text = walk_comment(&otlp->walk, i)); i++ )
    {
        protobuf_text(&value, OTLP_VALUE_TEXT, text);
        protobuf_message(&otlp->list, OTLP_ARRAY_VALUES, &value);
        free(text);
    }
    protobuf_message(&value, OTLP_VALUE_ARRAY, &otlp->list);
    protobuf_message(&pair, OTLP_VALUE, &value);
    protobuf_message(&otlp->sample, OTLP_RESOURCE_ATTRIBUTES, &pair);
    buffer_free(&pair);
    buffer_free(&value);
}

static void put_resource(struct otlp *otlp, struct buffer *message)
{
    const struct loaded *loaded = otlp->walk.loaded;

    put_resource_text(otlp, "service.name", SERVICE);
    put_resource_text(otlp, "service.version",
                      loaded_attribute(loaded, SESSION_ATTRIBUTE_XEN));
    put_resource_text(otlp, "host.name",
                      loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST));
    put_comments(otlp);
    protobuf_message(message, OTLP_RESOURCE, &otlp->sample);
}

static void put_scope(struct otlp *otlp, struct buffer *message)
{
    protobuf_text(&otlp->list, OTLP_SCOPE_NAME, "xenoprof");
    protobuf_text(&otlp->list, OTLP_SCOPE_VERSION, PACKAGE_VERSION);
    protobuf_message(message, OTLP_SCOPE, &otlp->list);
}

static size_t profile_size(const struct otlp_profile *profile)
{
    return profile->head.used + profile->samples;
}

/* Writes from the outermost message on to the last profile. */
static void write_profiles(struct otlp *otlp)
{
    struct buffer resource = {0}, scope = {0}, head = {0};
    size_t profiles = 0;

    put_resource(otlp, &resource);
    put_scope(otlp, &scope);
    for ( size_t i = 0; i < otlp->profile_count; i++ )
    {
        head.used = 0;
        protobuf_begin(&head, OTLP_PROFILES, profile_size(&otlp->profiles[i]));
        profiles += head.used + profile_size(&otlp->profiles[i]);
    }
    protobuf_begin(&resource, OTLP_SCOPE_PROFILES, scope.used + profiles);
    must_do(buffer_append(&resource, scope.bytes, scope.used));
    protobuf_begin(&otlp->out, OTLP_RESOURCE_PROFILES,
                   resource.used + profiles);
    must_do(buffer_append(&otlp->out, resource.bytes, resource.used));
    for ( size_t i = 0; i < otlp->profile_count; i++ )
    {
        struct otlp_profile *profile = &otlp->profiles[i];

        protobuf_begin(&otlp->out, OTLP_PROFILES, profile_size(profile));
        must_do(
            buffer_append(&otlp->out, profile->head.bytes, profile->head.used));
        write_out(otlp);
        put_samples(otlp, profile, true);
    }
    buffer_free(&resource);
    buffer_free(&scope);
    buffer_free(&head);
}

static void print_otlp(const struct report *report, FILE *file)
{
    struct otlp otlp = {.file = file};

    walk_init(&otlp.walk, report);
    walk_find_locations(&otlp.walk);
    otlp_dictionary_init(&otlp.dictionary, &otlp.walk);
    put_order(&otlp);
    put_profiles(&otlp);
    write_profiles(&otlp);
    otlp_dictionary_put(&otlp.dictionary, &otlp.list);
    protobuf_message(&otlp.out, OTLP_DICTIONARY, &otlp.list);
    write_out(&otlp);
    for ( size_t i = 0; i < otlp.profile_count; i++ )
        buffer_free(&otlp.profiles[i].head);
    buffer_free(&otlp.sample);
    buffer_free(&otlp.list);
    buffer_free(&otlp.times);
    buffer_free(&otlp.out);
    free(otlp.order);
    otlp_dictionary_free(&otlp.dictionary);
    walk_free(&otlp.walk);
}

const struct view export_otlp = {
    .print = print_otlp,
    .option = "export",
    .stacks = true,
    .frames_by_address = true,
    .lines = true,
    .who = true,
    .labels = true,
    .log = true,
    .bytes = true,
    .opens = "it is what an OTLP endpoint takes at /v1development/profiles",
};
