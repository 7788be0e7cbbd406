/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes items into the block in the making. */
#include <string.h>

#include "session-format.h"
#include "session-index.h"
#include "session-writer.h"

/*
 * Begin an item of at most size bytes: write its kind, and leave a byte for its
 * length.  Returns where its body goes, or NULL with a message at the handle.
 */
static uint8_t *begin(struct xenoprof_writer *writer, enum session_kind kind,
                      size_t size)
{
    struct buffer *raw = &writer->raw;

    size += 1 + NUMBER_BYTES;
    if ( raw->used + size > BLOCK_RAW_MAX )
    {
        handle_fail(writer->handle, XENOPROF_NO_MEMORY,
                    "%s: too much is waiting to be written; flush first",
                    writer->folder);
        return NULL;
    }
    if ( !buffer_reserve(raw, size) )
    {
        handle_no_memory(writer->handle);
        return NULL;
    }
    raw->bytes[raw->used] = kind;
    return raw->bytes + raw->used + 2;
}

static enum xenoprof_status end(struct xenoprof_writer *writer, uint8_t *at)
{
    struct buffer *raw = &writer->raw;
    uint8_t *length_at = raw->bytes + raw->used + 1, *body = length_at + 1;
    uint8_t length_bytes[NUMBER_BYTES];
    size_t length = at - body;
    size_t more = put_number(length_bytes, length) - length_bytes;

    if ( more > 1 )
        memmove(length_at + more, body, length);
    memcpy(length_at, length_bytes, more);
    raw->used += 1 + more + length;
    return XENOPROF_OK;
}

static uint8_t *put_time(struct xenoprof_writer *writer, uint8_t *at,
                         uint64_t time)
{
    at = put_signed(at, time - writer->before.time);
    writer->before.time = time;
    return at;
}

static uint8_t *put_counts(uint8_t *at, const uint64_t *counts, size_t count)
{
    at = put_number(at, count);
    for ( size_t i = 0; i < count; i++ )
        at = put_number(at, counts[i]);
    return at;
}

static enum xenoprof_status define_string(struct xenoprof_writer *writer,
                                          uint32_t number)
{
    struct string_entry *string = tables_string(&writer->state.tables, number);
    uint8_t *at;

    if ( !string || string->file == writer->file + 1 )
        return XENOPROF_OK;
    at = begin(writer, KIND_STRING, NUMBER_BYTES + string->length);
    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_number(at, number);
    memcpy(at, string->text, string->length);
    string->file = writer->file + 1;
    return end(writer, at + string->length);
}

enum xenoprof_status encode_text(struct xenoprof_writer *writer,
                                 const char *text, uint32_t *ret)
{
    size_t length = text ? strlen(text) : 0;

    *ret = 0;
    if ( !text )
        return XENOPROF_OK;
    if ( length > STRING_MAX )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a text of %zu bytes is longer than the %u that "
                           "a session holds",
                           writer->folder, length, STRING_MAX);
    *ret = index_string(&writer->state, text, length);
    if ( !*ret )
        return handle_no_memory(writer->handle);
    return define_string(writer, *ret);
}

enum xenoprof_status encode_attribute(struct xenoprof_writer *writer,
                                      const struct attribute_state *attribute)
{
    uint8_t *at;

    if ( define_string(writer, attribute->key) ||
         define_string(writer, attribute->value) )
        return XENOPROF_NO_MEMORY;
    at = begin(writer, KIND_ATTRIBUTE, 3 * NUMBER_BYTES);
    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_time(writer, at, attribute->time);
    at = put_number(at, attribute->key);
    return end(writer, put_number(at, attribute->value));
}

enum xenoprof_status encode_domain(struct xenoprof_writer *writer,
                                   const struct domain_state *domain)
{
    uint8_t *at;

    if ( define_string(writer, domain->uuid) ||
         define_string(writer, domain->name) ||
         define_string(writer, domain->kind) )
        return XENOPROF_NO_MEMORY;
    at = begin(writer, KIND_DOMAIN, 5 * NUMBER_BYTES);
    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_time(writer, at, domain->time);
    at = put_number(at, domain->domain);
    at = put_number(at, domain->uuid);
    at = put_number(at, domain->name);
    return end(writer, put_number(at, domain->kind));
}

enum xenoprof_status encode_place(struct xenoprof_writer *writer,
                                  uint32_t number)
{
    struct place_entry *place = tables_place(&writer->state.tables, number);
    uint8_t *at;

    if ( place->file == writer->file + 1 )
        return XENOPROF_OK;
    if ( define_string(writer, place->image) ||
         define_string(writer, place->symbol) )
        return XENOPROF_NO_MEMORY;
    at = begin(writer, KIND_PLACE, 7 * NUMBER_BYTES);
    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_number(at, number);
    at = put_number(at, place->domain);
    at = put_number(at, place->mode);
    at = put_signed(at, place->address - writer->before.address);
    at = put_number(at, place->image);
    at = put_number(at, place->symbol);
    at = put_signed(at, place->address - place->symbol_start);
    writer->before.address = place->address;
    place->file = writer->file + 1;
    return end(writer, at);
}

enum xenoprof_status encode_stack(struct xenoprof_writer *writer,
                                  uint32_t number)
{
    struct session_tables *tables = &writer->state.tables;
    const struct stack_entry *stack = tables_stack(tables, number);
    const uint32_t *places = tables->stack_places.items + stack->first;
    uint32_t base, shared;
    uint8_t *at;

    if ( stack->file == writer->file + 1 )
        return XENOPROF_OK;
    for ( uint32_t i = 0; i < stack->count; i++ )
        if ( places[i] && encode_place(writer, places[i]) )
            return XENOPROF_NO_MEMORY;
    base = index_find_base(&writer->state, writer->file + 1, places,
                           stack->count, &shared);
    at = begin(writer, KIND_STACK, (4 + stack->count) * NUMBER_BYTES);
    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_signed(at, (int64_t)number - writer->before.stack);
    at = put_number(at, stack->count);
    at = put_number(at, shared);
    if ( shared )
        at = put_signed(at, (int64_t)base - number);
    for ( uint32_t i = 0; i < stack->count - shared; i++ )
        at = put_number(at, places[i]);
    writer->before.stack = number;
    end(writer, at);
    return index_add_base(&writer->state, writer->file + 1, number)
               ? XENOPROF_OK
               : handle_no_memory(writer->handle);
}

enum xenoprof_status encode_ring(struct xenoprof_writer *writer,
                                 const struct xenoprof_ring_past *ring)
{
    const struct xenoprof_ring_info *info = &ring->info;
    uint32_t uuid = index_string(&writer->state, info->uuid, 16);
    uint8_t *at;

    if ( !uuid )
        return handle_no_memory(writer->handle);
    if ( define_string(writer, uuid) )
        return XENOPROF_NO_MEMORY;
    at = begin(writer, KIND_RING, (17 + XENOPROF_CAUSES) * NUMBER_BYTES);
    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_number(at, info->ring);
    at = put_number(at, info->generation);
    at = put_number(at, info->domain);
    at = put_number(at, info->vcpu);
    at = put_number(at, info->kind);
    at = put_number(at, info->state);
    at = put_number(at, uuid);
    at = put_number(at, info->size);
    at = put_number(at, info->position);
    at = put_signed(at, info->producer - info->position);
    at = put_signed(at, info->position - info->released);
    at = put_number(at, info->made);
    at = put_number(at, info->committed);
    at = put_number(at, ring->read);
    at = put_number(at, ring->lost_daemon);
    at = put_counts(at, info->lost, XENOPROF_CAUSES);
    return end(writer, put_number(at, ring->spooled));
}

enum xenoprof_status encode_ring_sum(struct xenoprof_writer *writer,
                                     const struct xenoprof_ring_sum *sum,
                                     bool first)
{
    uint32_t uuid = index_string(&writer->state, sum->owner.uuid, 16);
    uint8_t *at;

    if ( !uuid )
        return handle_no_memory(writer->handle);
    if ( define_string(writer, uuid) )
        return XENOPROF_NO_MEMORY;
    at = begin(writer, KIND_RING_SUM, (9 + XENOPROF_CAUSES) * NUMBER_BYTES);
    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_number(at, first);
    at = put_number(at, sum->owner.domain);
    at = put_number(at, sum->owner.kind);
    at = put_number(at, uuid);
    at = put_number(at, sum->rings);
    at = put_number(at, sum->made);
    at = put_number(at, sum->read);
    at = put_number(at, sum->lost_daemon);
    return end(writer, put_counts(at, sum->lost, XENOPROF_CAUSES));
}

enum xenoprof_status encode_counters(struct xenoprof_writer *writer,
                                     uint64_t time,
                                     const struct xenoprof_counters *counters)
{
    uint8_t *at = begin(writer, KIND_COUNTERS,
                        (10 + XENOPROF_CAUSES) * NUMBER_BYTES);

    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_time(writer, at, time);
    at = put_number(at, counters->due);
    at = put_number(at, counters->missed);
    at = put_number(at, counters->idle);
    at = put_number(at, counters->made);
    at = put_number(at, counters->committed);
    at = put_number(at, counters->switched);
    at = put_number(at, counters->moved);
    at = put_number(at, counters->cost);
    return end(writer, put_counts(at, counters->lost, XENOPROF_CAUSES));
}

enum xenoprof_status encode_idle(struct xenoprof_writer *writer, uint64_t time,
                                 uint16_t pcpu, uint64_t idle)
{
    uint8_t *at = begin(writer, KIND_IDLE, 3 * NUMBER_BYTES);

    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_time(writer, at, time);
    at = put_number(at, pcpu);
    return end(writer, put_number(at, idle));
}

enum xenoprof_status encode_closed(struct xenoprof_writer *writer,
                                   uint64_t time)
{
    uint8_t *at = begin(writer, KIND_CLOSED, NUMBER_BYTES);

    if ( !at )
        return XENOPROF_NO_MEMORY;
    return end(writer, put_time(writer, at, time));
}

enum xenoprof_status encode_numbers(struct xenoprof_writer *writer)
{
    uint8_t *at = begin(writer, KIND_NUMBERS, 2 * NUMBER_BYTES);

    if ( !at )
        return XENOPROF_NO_MEMORY;
    at = put_number(at, writer->state.tables.last_place);
    return end(writer, put_number(at, writer->state.tables.last_stack));
}

/* Returns the bits of what differs from the sample before. */
static unsigned int sample_news(const struct session_before *before,
                                const struct xenoprof_stored *sample,
                                uint32_t expected)
{
    unsigned int news = sample->mode;

    if ( sample->domain != before->domain || sample->vcpu != before->vcpu ||
         sample->pcpu != before->pcpu )
        news |= SAMPLE_WHO;
    if ( sample->stack )
        news |= SAMPLE_STACK;
    if ( sample->place != expected )
        news |= SAMPLE_PLACE;
    if ( sample->period != before->period )
        news |= SAMPLE_PERIOD;
    if ( sample->marks != before->marks || sample->weight != before->weight )
        news |= SAMPLE_MARKS;
    return news;
}

static uint8_t *put_sample(uint8_t *at, const struct xenoprof_stored *sample,
                           unsigned int news, uint32_t last_stack)
{
    if ( news & SAMPLE_WHO )
    {
        at = put_number(at, sample->domain);
        at = put_number(at, sample->vcpu);
        at = put_number(at, sample->pcpu);
    }
    if ( news & SAMPLE_STACK )
        at = put_signed(at, (int64_t)sample->stack - last_stack);
    if ( news & SAMPLE_PLACE )
        at = put_number(at, sample->place);
    if ( news & SAMPLE_PERIOD )
        at = put_number(at, sample->period);
    if ( news & SAMPLE_MARKS )
    {
        at = put_number(at, sample->marks);
        at = put_number(at, sample->weight);
    }
    return at;
}

static enum xenoprof_status put_item(struct xenoprof_writer *writer,
                                     const struct xenoprof_stored *sample)
{
    const struct session_tables *tables = &writer->state.tables;
    const struct stack_entry *stack = tables_stack(tables, sample->stack);
    struct session_before *before = &writer->before;
    unsigned int news = sample_news(
        before, sample,
        stack ? tables->stack_places.items[stack->first] : before->place);
    uint8_t *start = begin(writer, KIND_SAMPLE | news, 10 * NUMBER_BYTES), *at;

    if ( !start )
        return XENOPROF_NO_MEMORY;
    /* A sample has no length: its first byte says which fields follow. */
    at = put_signed(start - 1, sample->time - before->time);
    at = put_sample(at, sample, news, before->stack);
    writer->raw.used = at - writer->raw.bytes;
    *before = (struct session_before){
        .time = sample->time,
        .address = before->address,
        .place = sample->place,
        .stack = before->stack,
        .period = sample->period,
        .marks = sample->marks,
        .domain = sample->domain,
        .vcpu = sample->vcpu,
        .pcpu = sample->pcpu,
        .weight = sample->weight,
    };
    return XENOPROF_OK;
}

enum xenoprof_status encode_sample(struct xenoprof_writer *writer,
                                   const struct xenoprof_stored *sample)
{
    if ( (sample->stack && encode_stack(writer, sample->stack)) ||
         (sample->place && encode_place(writer, sample->place)) )
        return XENOPROF_NO_MEMORY;
    return put_item(writer, sample);
}
