/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as Go's pprof takes them: one gzip'ed message of protobuf
 * (proto/profile.proto of github.com/google/pprof), in which equal stacks of a
 * domain are one sample.  It has no times.
 */
#include "bench/peer-forms.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/table.h"

/* The messages' fields by number. */
#define PROFILE_SAMPLE_TYPE   1u
#define PROFILE_SAMPLE        2u
#define PROFILE_MAPPING       3u
#define PROFILE_LOCATION      4u
#define PROFILE_FUNCTION      5u
#define PROFILE_STRING        6u
#define PROFILE_PERIOD_TYPE   11u
#define PROFILE_PERIOD        12u
#define TYPE_NAME             1u
#define TYPE_UNIT             2u
#define SAMPLE_LOCATIONS      1u
#define SAMPLE_VALUES         2u
#define SAMPLE_LABEL          3u
#define LABEL_KEY             1u
#define LABEL_STRING          2u
#define MAPPING_ID            1u
#define MAPPING_FILE          5u
#define MAPPING_HAS_FUNCTIONS 7u
#define LOCATION_ID           1u
#define LOCATION_MAPPING      2u
#define LOCATION_ADDRESS      3u
#define LOCATION_LINE         4u
#define LINE_FUNCTION         1u
#define FUNCTION_ID           1u
#define FUNCTION_NAME         2u

#define WIRE_NUMBER 0u
#define WIRE_BYTES  2u

/* The string of number 0 has to be empty.  Functions' names come last. */
enum {
    TEXT_EMPTY,
    TEXT_SAMPLES,
    TEXT_COUNT,
    TEXT_TIME,
    TEXT_NANOSECONDS,
    TEXT_DOMAIN,
    TEXT_IMAGES, /* by mode */
    TEXT_DOMAINS = TEXT_IMAGES + 3,
    TEXT_FUNCTIONS = TEXT_DOMAINS + PEERS_DOMAINS
};
static const char *const texts[TEXT_DOMAINS] = {"",     "samples",     "count",
                                                "time", "nanoseconds", "domain",
                                                "xen",  "kernel",      "user"};

struct pprof_place {
    uint64_t address; /* the key; no mode's addresses are another's */
    struct growing_frame frame;
};

/* A chain is its last frame's node: what is the same up there is kept once. */
struct pprof_node {
    struct {
        uint32_t caller; /* below PEERS_DOMAINS: a domain; else a node */
        uint32_t place;
    } key;
    uint64_t count;
};

static struct {
    const char *path;
    struct table places;
    struct table nodes; /* number PEERS_DOMAINS is the first */
} pprof;

static void *kept(void *memory)
{
    if ( !memory )
        peers_die(pprof.path, "there is no memory left");
    return memory;
}

static void put_head(struct buffer *message, unsigned int field,
                     unsigned int wire, uint64_t number, size_t more)
{
    uint8_t *end;

    if ( !buffer_reserve(message, 2 * NUMBER_BYTES + more) )
        kept(NULL);
    end = put_number(message->bytes + message->used, field << 3 | wire);
    message->used = (size_t)(put_number(end, number) - message->bytes);
}

static void put_field(struct buffer *message, unsigned int field,
                      uint64_t number)
{
    put_head(message, field, WIRE_NUMBER, number, 0);
}

static void put_piece(struct buffer *message, unsigned int field,
                      const void *bytes, size_t size)
{
    put_head(message, field, WIRE_BYTES, size, size);
    memcpy(message->bytes + message->used, bytes, size);
    message->used += size;
}

/* Part, which is then empty, becomes a field of message. */
static void put_message(struct buffer *message, unsigned int field,
                        struct buffer *part)
{
    put_piece(message, field, part->bytes, part->used);
    buffer_free(part);
}

static uint32_t node_of(uint32_t caller, const struct growing_frame *frame)
{
    struct pprof_place *place = kept(table_put(&pprof.places, &frame->address));
    struct pprof_node node = {
        .key = {caller, (uint32_t)table_index(&pprof.places, place)}};

    place->frame = *frame;
    return PEERS_DOMAINS +
           (uint32_t)table_index(&pprof.nodes,
                                 kept(table_put(&pprof.nodes, &node.key)));
}

static void begin(const char *path)
{
    static const struct pprof_node node;

    pprof.path = path;
    table_init(&pprof.places, sizeof(uint64_t), sizeof(struct pprof_place));
    table_init(&pprof.nodes, sizeof(node.key), sizeof(node));
}

static void sample(const struct xenoprof_stored *stored,
                   const struct growing_stack *stack)
{
    uint32_t number = stored->domain;
    struct pprof_node *node;

    for ( size_t i = 0; i < stack->count; i++ )
        number = node_of(number, &stack->frames[i]);
    node = table_at(&pprof.nodes, number - PEERS_DOMAINS);
    node->count++;
}

static void put_type(struct buffer *profile, unsigned int field, uint64_t name,
                     uint64_t unit)
{
    struct buffer type = {0};

    put_field(&type, TYPE_NAME, name);
    put_field(&type, TYPE_UNIT, unit);
    put_message(profile, field, &type);
}

static void put_sample(struct buffer *profile, const struct pprof_node *node)
{
    struct buffer sample = {0}, label = {0};
    uint64_t count = node->count;
    uint32_t caller;

    do
    {
        put_field(&sample, SAMPLE_LOCATIONS, node->key.place + 1);
        caller = node->key.caller;
        if ( caller >= PEERS_DOMAINS )
            node = table_at(&pprof.nodes, caller - PEERS_DOMAINS);
    } while ( caller >= PEERS_DOMAINS );
    put_field(&sample, SAMPLE_VALUES, count);
    put_field(&sample, SAMPLE_VALUES, count * PEERS_PERIOD);
    put_field(&label, LABEL_KEY, TEXT_DOMAIN);
    put_field(&label, LABEL_STRING, TEXT_DOMAINS + caller);
    put_message(&sample, SAMPLE_LABEL, &label);
    put_message(profile, PROFILE_SAMPLE, &sample);
}

/* A function is named for each mode alike: its number in all of them. */
static uint64_t function_of(const struct growing_frame *frame)
{
    return (uint64_t)frame->mode * GROWING_FUNCTIONS + frame->function;
}

static void put_location(struct buffer *profile, size_t index)
{
    const struct pprof_place *place = table_at(&pprof.places, index);
    struct buffer location = {0}, line = {0};

    put_field(&location, LOCATION_ID, index + 1);
    put_field(&location, LOCATION_MAPPING, place->frame.mode + 1u);
    put_field(&location, LOCATION_ADDRESS, place->address);
    if ( place->frame.mode != XENOPROF_MODE_USER )
    {
        put_field(&line, LINE_FUNCTION, 1 + function_of(&place->frame));
        put_message(&location, LOCATION_LINE, &line);
    }
    put_message(profile, PROFILE_LOCATION, &location);
}

static void put_images(struct buffer *profile)
{
    for ( uint8_t mode = 0; mode <= XENOPROF_MODE_USER; mode++ )
    {
        struct buffer mapping = {0};

        put_field(&mapping, MAPPING_ID, mode + 1u);
        put_field(&mapping, MAPPING_FILE, TEXT_IMAGES + mode);
        put_field(&mapping, MAPPING_HAS_FUNCTIONS, mode != XENOPROF_MODE_USER);
        put_message(profile, PROFILE_MAPPING, &mapping);
    }
}

static void put_text(struct buffer *profile, const char *text)
{
    put_piece(profile, PROFILE_STRING, text, strlen(text));
}

/* With their names, which are the last of the strings. */
static void put_functions(struct buffer *profile)
{
    char name[GROWING_NAME];

    for ( uint8_t mode = 0; mode < XENOPROF_MODE_USER; mode++ )
        for ( uint16_t i = 0; i < GROWING_FUNCTIONS; i++ )
        {
            const struct growing_frame frame = growing_function(mode, i);
            struct buffer function = {0};

            put_field(&function, FUNCTION_ID, 1 + function_of(&frame));
            put_field(&function, FUNCTION_NAME,
                      TEXT_FUNCTIONS + function_of(&frame));
            put_message(profile, PROFILE_FUNCTION, &function);
            growing_name(&frame, name);
            put_text(profile, name);
        }
}

static void put_profile(struct buffer *profile)
{
    const struct pprof_node *node;

    put_type(profile, PROFILE_SAMPLE_TYPE, TEXT_SAMPLES, TEXT_COUNT);
    put_type(profile, PROFILE_SAMPLE_TYPE, TEXT_TIME, TEXT_NANOSECONDS);
    for ( size_t i = 0; i < TEXT_DOMAINS; i++ )
        put_text(profile, texts[i]);
    for ( size_t i = 0; i < PEERS_DOMAINS; i++ )
        put_text(profile, peers_domains[i]);
    put_images(profile);
    put_functions(profile);
    for ( size_t i = 0; i < pprof.places.count; i++ )
        put_location(profile, i);
    for ( size_t i = 0; i < pprof.nodes.count; i++ )
        if ( (node = table_at(&pprof.nodes, i))->count )
            put_sample(profile, node);
    put_type(profile, PROFILE_PERIOD_TYPE, TEXT_TIME, TEXT_NANOSECONDS);
    put_field(profile, PROFILE_PERIOD, PEERS_PERIOD);
}

static void end(void)
{
    struct buffer profile = {0};
    gzFile file = gzopen(pprof.path, "wb");

    if ( !file )
        peers_die(pprof.path, NULL);
    put_profile(&profile);
    if ( gzwrite(file, profile.bytes, (unsigned int)profile.used) !=
         (int)profile.used )
        peers_die(pprof.path, NULL);
    if ( gzclose(file) )
        peers_die(pprof.path, NULL);
    buffer_free(&profile);
    table_free(&pprof.places);
    table_free(&pprof.nodes);
}

const struct peers_form peers_pprof = {"pprof", begin, sample, end};
