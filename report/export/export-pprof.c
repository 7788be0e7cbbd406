/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=pprof: a gzip'ed message perftools.profiles.Profile, as
 * github.com/google/pprof, proto/profile.proto at b9395ee has it.  It has no
 * times: what is alike in stack and labels is one sample.  Numbers of
 * functions, locations and images are the walk's and 1, since pprof has no 0.
 */
#include "export-walk.h"

#include "base/must.h"
#include "base/names.h"
#include "base/protobuf.h"
#include "base/scope.h"
#include "pprof-fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOP_BYTES 65536u /* that are put together before they go out */

/* A label of a sample, ready to be put. */
struct pprof_label {
    struct {
        uint64_t value;
        uint64_t label;
    } key;
    struct buffer bytes;
};

struct pprof {
    struct export_walk walk;
    FILE *file;
    struct buffer top, message, part; /* of the profile, and what is in it */
    struct names texts;               /* pprof's string number, as theirs */
    struct table labels;              /* struct pprof_label */
    struct pprof_label recent[WALK_LABELS]; /* of the last sample */
    uint32_t types[XENOPROF_TYPES_MAX];     /* that the session has */
    size_t type_count;
};

/* Strings are written at the end, when all are known. */
static uint64_t text_of(struct pprof *pprof, const char *text)
{
    uint32_t number = 0;

    if ( text && *text )
        must_do(names_add(&pprof->texts, text, &number));
    return number;
}

/* What was put at the top goes out, once it is worth it. */
static void flush_top(struct pprof *pprof, size_t worth)
{
    if ( pprof->top.used < worth )
        return;
    fwrite(pprof->top.bytes, 1, pprof->top.used, pprof->file);
    pprof->top.used = 0;
}

static void put_top(struct pprof *pprof, unsigned int field)
{
    protobuf_message(&pprof->top, field, &pprof->message);
    flush_top(pprof, TOP_BYTES);
}

static void put_value_type(struct pprof *pprof, unsigned int field,
                           const char *name, const char *unit)
{
    protobuf_number(&pprof->message, PPROF_TYPE_NAME, text_of(pprof, name));
    protobuf_number(&pprof->message, PPROF_TYPE_UNIT, text_of(pprof, unit));
    put_top(pprof, field);
}

/* "time-samples" and "time" of each type; "samples" of the one that is shown,
 * as other profilers call it. */
static void put_types(struct pprof *pprof)
{
    const struct types *types = &pprof->walk.loaded->types;

    pprof->type_count = walk_types(&pprof->walk, pprof->types);
    for ( size_t i = 0; i < pprof->type_count; i++ )
    {
        const struct sample_type *type = &types->type[pprof->types[i]];
        char *counted SCOPE_FREE = pprof->types[i] == types->shown
                                       ? must(strdup("samples"))
                                       : must_text("%s-samples", type->name);

        put_value_type(pprof, PPROF_SAMPLE_TYPE, counted, "count");
        put_value_type(pprof, PPROF_SAMPLE_TYPE, type->name, walk_unit(type));
    }
    protobuf_number(&pprof->top, PPROF_DEFAULT_SAMPLE_TYPE,
                    text_of(pprof, types_shown(types)->name));
}

/* What was inlined comes before what it was inlined into. */
static void put_location(struct pprof *pprof, uint32_t number)
{
    const struct walk_location *at = walk_location(&pprof->walk, number);
    const struct walk_frame *frame = &pprof->walk.frames.items[at->key.frame];

    protobuf_number(&pprof->message, PPROF_LOCATION_ID, number + 1u);
    if ( frame->mapping != WALK_NONE )
        protobuf_number(&pprof->message, PPROF_LOCATION_MAPPING,
                        frame->mapping + 1u);
    protobuf_number(&pprof->message, PPROF_LOCATION_ADDRESS, frame->address);
    while ( at )
    {
        frame = &pprof->walk.frames.items[at->key.frame];
        protobuf_number(&pprof->part, PPROF_LINE_FUNCTION,
                        frame->function + 1u);
        protobuf_number(&pprof->part, PPROF_LINE_NUMBER, frame->line);
        protobuf_message(&pprof->message, PPROF_LOCATION_LINE, &pprof->part);
        at = at->key.outer == WALK_NONE
                 ? NULL
                 : walk_location(&pprof->walk, at->key.outer);
    }
    put_top(pprof, PPROF_LOCATION);
}

static void put_function(struct pprof *pprof, uint32_t number)
{
    const struct walk_function *function = walk_function(&pprof->walk, number);
    const char *whole = names_text(&pprof->walk.loaded->names,
                                   function->key.symbol);

    protobuf_number(&pprof->message, PPROF_FUNCTION_ID, number + 1u);
    protobuf_number(&pprof->message, PPROF_FUNCTION_NAME,
                    text_of(pprof, function->name));
    protobuf_number(&pprof->message, PPROF_FUNCTION_SYSTEM_NAME,
                    text_of(pprof, whole ? whole : function->name));
    protobuf_number(&pprof->message, PPROF_FUNCTION_FILENAME,
                    text_of(pprof, function->source));
    put_top(pprof, PPROF_FUNCTION);
}

static void put_mapping(struct pprof *pprof, uint32_t index)
{
    const struct walk_mapping *mapping = walk_mapping(&pprof->walk, index);
    char *build_id SCOPE_FREE = walk_build_id(&pprof->walk, mapping->key.image,
                                              mapping->key.mode);
    char *name SCOPE_FREE = walk_mapping_name(&pprof->walk, mapping);

    protobuf_number(&pprof->message, PPROF_MAPPING_ID, index + 1u);
    protobuf_number(&pprof->message, PPROF_MAPPING_START, mapping->first);
    if ( mapping->last )
        protobuf_number(&pprof->message, PPROF_MAPPING_LIMIT,
                        mapping->last + 1);
    protobuf_number(&pprof->message, PPROF_MAPPING_FILENAME,
                    text_of(pprof, name));
    protobuf_number(&pprof->message, PPROF_MAPPING_BUILD_ID,
                    text_of(pprof, build_id));
    protobuf_number(&pprof->message, PPROF_MAPPING_HAS_FUNCTIONS, 1);
    put_top(pprof, PPROF_MAPPING);
}

/* As a text also where it is a number: pprof takes 0 for no label. */
static const struct pprof_label *label_of(struct pprof *pprof,
                                          enum walk_label label, uint64_t value)
{
    const struct pprof_label key = {.key = {value, label}};
    struct pprof_label *known = must(table_put(&pprof->labels, &key.key));

    if ( known->bytes.used )
        return known;
    protobuf_number(&pprof->part, PPROF_LABEL_KEY,
                    text_of(pprof, walk_labels[label].name));
    protobuf_number(
        &pprof->part, PPROF_LABEL_TEXT,
        text_of(pprof, walk_label_text(&pprof->walk, label, value)));
    protobuf_message(&known->bytes, PPROF_SAMPLE_LABEL, &pprof->part);
    return known;
}

static void put_label(struct pprof *pprof, const struct cell *cell,
                      enum walk_label label)
{
    const uint64_t value = walk_label_value(&pprof->walk, cell, label);
    struct pprof_label *recent = &pprof->recent[label];

    if ( value == LABEL_NONE )
        return;
    if ( !recent->bytes.used || recent->key.value != value )
        *recent = *label_of(pprof, label, value);
    must_do(buffer_append(&pprof->message, recent->bytes.bytes,
                          recent->bytes.used));
}

static void put_sample(struct pprof *pprof, const struct walk_sample *sample)
{
    const struct walk_located *stacks = pprof->walk.located.items;

    for ( uint32_t at = sample->stack; at != WALK_NONE; at = stacks[at].caller )
        protobuf_packed(&pprof->part, stacks[at].location + 1u);
    protobuf_message(&pprof->message, PPROF_SAMPLE_LOCATION, &pprof->part);
    for ( size_t i = 0; i < pprof->type_count; i++ )
    {
        const bool is = pprof->types[i] == sample->cell->key.type;

        protobuf_packed(&pprof->part, is ? sample->count : 0);
        protobuf_packed(&pprof->part, is ? sample->amount : 0);
    }
    protobuf_message(&pprof->message, PPROF_SAMPLE_VALUE, &pprof->part);
    for ( unsigned int label = 0; label < WALK_LABELS; label++ )
        put_label(pprof, sample->cell, (enum walk_label)label);
    put_top(pprof, PPROF_SAMPLE);
}

static void put_when(struct pprof *pprof)
{
    const struct time_span span = walk_span(&pprof->walk);
    const struct types *types = &pprof->walk.loaded->types;

    protobuf_number(&pprof->top, PPROF_TIME_NANOS,
                    walk_utc(&pprof->walk, span.from));
    protobuf_number(&pprof->top, PPROF_DURATION_NANOS, span.to - span.from);
    protobuf_number(&pprof->top, PPROF_PERIOD, walk_period(&pprof->walk));
    put_value_type(pprof, PPROF_PERIOD_TYPE, types_shown(types)->name,
                   walk_unit(types_shown(types)));
}

static void put_comments(struct pprof *pprof)
{
    char *text;

    for ( unsigned int i = 0; (text = walk_comment(&pprof->walk, i)); i++ )
    {
        protobuf_element(&pprof->top, PPROF_COMMENT, text_of(pprof, text));
        free(text);
    }
}

static void put_texts(struct pprof *pprof)
{
    protobuf_text_element(&pprof->top, PPROF_STRING, "");
    for ( uint32_t i = 1; i <= pprof->texts.count; i++ )
        protobuf_text_element(&pprof->top, PPROF_STRING,
                              names_text(&pprof->texts, i));
    flush_top(pprof, 0);
}

static void put_profile(struct pprof *pprof)
{
    struct walk_sample sample;

    put_types(pprof);
    put_when(pprof);
    put_comments(pprof);
    while ( walk_next(&pprof->walk, &sample) )
        put_sample(pprof, &sample);
    for ( uint32_t i = 0; i < pprof->walk.locations.count; i++ )
        put_location(pprof, i);
    for ( uint32_t i = 0; i < pprof->walk.functions.count; i++ )
        put_function(pprof, i);
    for ( uint32_t i = 0; i < pprof->walk.mappings.count; i++ )
        put_mapping(pprof, i);
    put_texts(pprof);
}

static void print_pprof(const struct report *report, FILE *file)
{
    struct pprof pprof = {.file = file};

    walk_init(&pprof.walk, report);
    walk_find_locations(&pprof.walk);
    names_init(&pprof.texts);
    table_init(&pprof.labels, sizeof(((struct pprof_label *)0)->key),
               sizeof(struct pprof_label));
    put_profile(&pprof);
    for ( size_t i = 0; i < pprof.labels.count; i++ )
        buffer_free(&((struct pprof_label *)table_at(&pprof.labels, i))->bytes);
    table_free(&pprof.labels);
    names_free(&pprof.texts);
    buffer_free(&pprof.top);
    buffer_free(&pprof.message);
    buffer_free(&pprof.part);
    walk_free(&pprof.walk);
}

const struct view export_pprof = {
    .print = print_pprof,
    .option = "export",
    .stacks = true,
    .frames_by_address = true,
    .lines = true,
    .who = true,
    .labels = true,
    .bytes = true,
    .gzip = true,
    .opens = "open it with go tool pprof",
};
