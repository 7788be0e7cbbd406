/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "otlp-dictionary.h"

#include "base/must.h"
#include "base/protobuf.h"
#include "base/scope.h"
#include "otlp-fields.h"

#include <stdlib.h>

/* Names by OpenTelemetry's semantic conventions where these have one, else
 * ours.  Numbers are numbers. */
static const char *const label_keys[WALK_LABELS] = {
    [WALK_DOMAIN] = "xen.domain.name",
    [WALK_DOMID] = "xen.domain.id",
    [WALK_UUID] = "xen.domain.uuid",
    [WALK_MODE] = "xen.mode",
    [WALK_VCPU] = "xen.vcpu",
    [WALK_PCPU] = "cpu.logical_number",
    [WALK_ENTRY] = "xen.entry",
    [WALK_PROCESS] = "thread.name",
    [WALK_PID] = "process.pid",
    [WALK_THREAD] = "thread.id",
    [WALK_EXE] = "process.executable.path",
    [WALK_CGROUP] = "process.linux.cgroup",
    [WALK_UNIT] = "systemd.unit",
    [WALK_CONTAINER] = "container.id",
    [WALK_POD] = "k8s.pod.uid",
};

/* profile.frame.type; "xen" is none of its well-known values. */
static const char *const frame_types[XENOPROF_MODES] = {
    [XENOPROF_MODE_XEN] = "xen",
    [XENOPROF_MODE_KERNEL] = "kernel",
    [XENOPROF_MODE_USER] = "native",
};

void otlp_dictionary_init(struct otlp_dictionary *dictionary,
                          struct export_walk *walk)
{
    *dictionary = (struct otlp_dictionary){.walk = walk};
    names_init(&dictionary->texts);
    table_init(&dictionary->attributes,
               sizeof(((struct otlp_attribute *)0)->key),
               sizeof(struct otlp_attribute));
    dictionary->stack_numbers = must(
        calloc(walk->stacks.count + 1, sizeof(*dictionary->stack_numbers)));
}

void otlp_dictionary_free(struct otlp_dictionary *dictionary)
{
    names_free(&dictionary->texts);
    table_free(&dictionary->attributes);
    free(dictionary->stack_numbers);
    vector_free(&dictionary->stacks);
}

uint32_t otlp_text(struct otlp_dictionary *dictionary, const char *text)
{
    uint32_t number = 0;

    if ( text && *text )
        must_do(names_add(&dictionary->texts, text, &number));
    return number;
}

uint32_t otlp_stack(struct otlp_dictionary *dictionary, uint32_t stack)
{
    uint32_t *number = &dictionary->stack_numbers[stack];
    uint32_t *added;

    if ( *number )
        return *number;
    added = must(vector_add(&dictionary->stacks));
    *added = stack;
    *number = (uint32_t)dictionary->stacks.count;
    return *number;
}

static uint32_t attribute_of(struct otlp_dictionary *dictionary,
                             const char *key, const char *text, uint64_t number)
{
    struct otlp_attribute attribute = {.key = {.number = number}};

    attribute.key.key = otlp_text(dictionary, key);
    attribute.key.text = otlp_text(dictionary, text);
    return (uint32_t)table_index(
               &dictionary->attributes,
               must(table_put(&dictionary->attributes, &attribute.key))) +
           1;
}

uint32_t otlp_label(struct otlp_dictionary *dictionary, const struct cell *cell,
                    enum walk_label label)
{
    const uint64_t value = walk_label_value(dictionary->walk, cell, label);
    const bool number = walk_labels[label].number;
    const char *text;

    if ( value == LABEL_NONE )
        return 0;
    if ( dictionary->recent[label].attribute &&
         dictionary->recent[label].value == value )
        return dictionary->recent[label].attribute;
    text = number ? NULL : walk_label_text(dictionary->walk, label, value);
    if ( !number && !*text )
        return 0;
    dictionary->recent[label].value = value;
    dictionary->recent[label].attribute = attribute_of(
        dictionary, label_keys[label], text, number ? value : 0);
    return dictionary->recent[label].attribute;
}

uint32_t otlp_unsampled(struct otlp_dictionary *dictionary)
{
    return attribute_of(dictionary, "xenoprof.samples", NULL, 0);
}

static void put_attribute(const struct otlp_attribute *attribute,
                          const struct names *texts, struct buffer *message)
{
    struct buffer value = {0};

    protobuf_number(message, OTLP_ATTRIBUTE_KEY, attribute->key.key);
    if ( attribute->key.text )
        protobuf_text_element(&value, OTLP_VALUE_TEXT,
                              names_text(texts, attribute->key.text));
    else
        protobuf_element(&value, OTLP_VALUE_NUMBER, attribute->key.number);
    protobuf_message(message, OTLP_ATTRIBUTE_VALUE, &value);
    buffer_free(&value);
}

/* A list of one number. */
static void put_one(struct buffer *message, unsigned int field, uint32_t number)
{
    struct buffer list = {0};

    protobuf_packed(&list, number);
    protobuf_message(message, field, &list);
    buffer_free(&list);
}

static void put_mapping(struct otlp_dictionary *dictionary, uint32_t number,
                        struct buffer *message)
{
    const struct walk_mapping *mapping = walk_mapping(dictionary->walk, number);
    char *name SCOPE_FREE = walk_mapping_name(dictionary->walk, mapping);
    char *build_id SCOPE_FREE = walk_build_id(
        dictionary->walk, mapping->key.image, mapping->key.mode);

    protobuf_number(message, OTLP_MAPPING_START, mapping->first);
    if ( mapping->last )
        protobuf_number(message, OTLP_MAPPING_LIMIT, mapping->last + 1);
    protobuf_number(message, OTLP_MAPPING_FILENAME,
                    otlp_text(dictionary, name));
    if ( build_id )
        put_one(message, OTLP_MAPPING_ATTRIBUTES,
                attribute_of(dictionary, "process.executable.build_id.gnu",
                             build_id, 0));
}

/* What was inlined comes before what it was inlined into. */
static void put_location(struct otlp_dictionary *dictionary, uint32_t number,
                         struct buffer *message)
{
    const struct export_walk *walk = dictionary->walk;
    const struct walk_location *at = walk_location(walk, number);
    const struct walk_frame *frame = &walk->frames.items[at->key.frame];
    const struct frame_key *key = &walk_function(walk, frame->function)->key;
    struct buffer line = {0};

    if ( frame->mapping != WALK_NONE )
        protobuf_number(message, OTLP_LOCATION_MAPPING, frame->mapping + 1u);
    protobuf_number(message, OTLP_LOCATION_ADDRESS, frame->address);
    while ( at )
    {
        frame = &walk->frames.items[at->key.frame];
        protobuf_number(&line, OTLP_LINE_FUNCTION, frame->function + 1u);
        protobuf_number(&line, OTLP_LINE_NUMBER, frame->line);
        protobuf_message(message, OTLP_LOCATION_LINES, &line);
        at = at->key.outer == WALK_NONE ? NULL
                                        : walk_location(walk, at->key.outer);
    }
    buffer_free(&line);
    if ( key->kind <= FRAME_UNKNOWN && key->mode < XENOPROF_MODES &&
         frame_types[key->mode] )
        put_one(message, OTLP_LOCATION_ATTRIBUTES,
                attribute_of(dictionary, "profile.frame.type",
                             frame_types[key->mode], 0));
}

static void put_function(struct otlp_dictionary *dictionary, uint32_t number,
                         struct buffer *message)
{
    const struct walk_function *function = walk_function(dictionary->walk,
                                                         number);
    const char *whole = names_text(&dictionary->walk->loaded->names,
                                   function->key.symbol);

    protobuf_number(message, OTLP_FUNCTION_NAME,
                    otlp_text(dictionary, function->name));
    protobuf_number(message, OTLP_FUNCTION_SYSTEM_NAME,
                    otlp_text(dictionary, whole ? whole : function->name));
    protobuf_number(message, OTLP_FUNCTION_FILENAME,
                    otlp_text(dictionary, function->source));
}

static void put_stack(struct otlp_dictionary *dictionary, uint32_t number,
                      struct buffer *message)
{
    const struct walk_located *stacks = dictionary->walk->located.items;
    struct buffer list = {0};

    for ( uint32_t at = dictionary->stacks.items[number]; at != WALK_NONE;
          at = stacks[at].caller )
        protobuf_packed(&list, stacks[at].location + 1u);
    protobuf_message(message, OTLP_STACK_LOCATIONS, &list);
    buffer_free(&list);
}

typedef void put_entry_fn(struct otlp_dictionary *dictionary, uint32_t number,
                          struct buffer *message);

/* The first stands for nothing. */
static void put_table(struct otlp_dictionary *dictionary,
                      struct buffer *message, unsigned int field, size_t count,
                      put_entry_fn *put)
{
    struct buffer entry = {0};

    protobuf_message(message, field, &entry);
    for ( size_t i = 0; i < count; i++ )
    {
        put(dictionary, (uint32_t)i, &entry);
        protobuf_message(message, field, &entry);
    }
    buffer_free(&entry);
}

static void put_attribute_entry(struct otlp_dictionary *dictionary,
                                uint32_t number, struct buffer *message)
{
    put_attribute(table_at(&dictionary->attributes, number), &dictionary->texts,
                  message);
}

/* Texts and attributes last: what comes before them asks for some. */
void otlp_dictionary_put(struct otlp_dictionary *dictionary,
                         struct buffer *message)
{
    const struct export_walk *walk = dictionary->walk;

    put_table(dictionary, message, OTLP_MAPPING_TABLE, walk->mappings.count,
              put_mapping);
    put_table(dictionary, message, OTLP_LOCATION_TABLE, walk->locations.count,
              put_location);
    put_table(dictionary, message, OTLP_FUNCTION_TABLE, walk->functions.count,
              put_function);
    put_table(dictionary, message, OTLP_LINK_TABLE, 0, NULL);
    put_table(dictionary, message, OTLP_STACK_TABLE, dictionary->stacks.count,
              put_stack);
    put_table(dictionary, message, OTLP_ATTRIBUTE_TABLE,
              dictionary->attributes.count, put_attribute_entry);
    protobuf_text_element(message, OTLP_STRING_TABLE, "");
    for ( uint32_t i = 1; i <= dictionary->texts.count; i++ )
        protobuf_text_element(message, OTLP_STRING_TABLE,
                              names_text(&dictionary->texts, i));
}
