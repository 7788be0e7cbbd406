/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The items of a session, samples apart, that a caller writes. */
#include <string.h>

#include "session-format.h"
#include "session-index.h"
#include "session-writer.h"

enum xenoprof_status xenoprof_writer_attribute(struct xenoprof_writer *writer,
                                               uint64_t time, const char *key,
                                               const char *value)
{
    struct attribute_state attribute = {.time = time};
    enum xenoprof_status status = encode_text(writer, key, &attribute.key);
    bool changed;

    if ( !status )
        status = encode_text(writer, value, &attribute.value);
    if ( status )
        return status;
    if ( !state_attribute(&writer->state, &attribute, &changed) )
        return handle_no_memory(writer->handle);
    return changed ? encode_attribute(writer, &attribute) : XENOPROF_OK;
}

enum xenoprof_status xenoprof_writer_domain(struct xenoprof_writer *writer,
                                            uint64_t time, uint16_t domain,
                                            const uint8_t uuid[16],
                                            const char *name, const char *kind)
{
    struct domain_state state = {.time = time, .domain = domain};
    enum xenoprof_status status = encode_text(writer, name, &state.name);
    bool changed;

    if ( !status )
        status = encode_text(writer, kind, &state.kind);
    if ( status )
        return status;
    state.uuid = index_string(&writer->state, uuid, 16);
    if ( !state.uuid || !state_domain(&writer->state, &state, &changed) )
        return handle_no_memory(writer->handle);
    return changed ? encode_domain(writer, &state) : XENOPROF_OK;
}

void xenoprof_writer_domain_ended(struct xenoprof_writer *writer,
                                  uint16_t domain, const uint8_t uuid[16])
{
    uint32_t number = index_find_string(&writer->state, uuid, 16);

    if ( number )
        owners_end(&writer->state.owners, number, domain, true);
}

void xenoprof_writer_attribute_ended(struct xenoprof_writer *writer,
                                     const char *key)
{
    uint32_t number = index_find_string(&writer->state, key, strlen(key));

    if ( number )
        state_drop_attribute(&writer->state, number);
}

bool xenoprof_writer_known(const struct xenoprof_writer *writer,
                           uint16_t domain, uint8_t mode, uint64_t address,
                           uint32_t *ret)
{
    *ret = index_find_place(&writer->state, domain, mode, address);
    return *ret;
}

bool xenoprof_writer_unnamed(const struct xenoprof_writer *writer,
                             uint16_t domain, uint8_t mode, uint32_t *number,
                             uint64_t *address)
{
    *number = index_unnamed(&writer->state, domain, mode, *number);
    if ( *number )
        *address = tables_place(&writer->state.tables, *number)->address;
    return *number;
}

enum xenoprof_status xenoprof_writer_place(struct xenoprof_writer *writer,
                                           const struct xenoprof_place *place,
                                           uint32_t *ret)
{
    struct place_entry entry = {.address = place->address,
                                .symbol_start = place->symbol_start,
                                .domain = place->domain,
                                .mode = place->mode};
    enum xenoprof_status status;
    bool named;

    if ( place->mode >= XENOPROF_MODES )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a place with the unknown mode %u",
                           writer->folder, place->mode);
    status = encode_text(writer, place->image, &entry.image);
    if ( !status )
        status = encode_text(writer, place->symbol, &entry.symbol);
    if ( status )
        return status;
    *ret = index_place(&writer->state, &entry, &named);
    if ( !*ret )
        return handle_no_memory(writer->handle);
    return named ? encode_place(writer, *ret) : XENOPROF_OK;
}

size_t xenoprof_writer_new_frames(const struct xenoprof_writer *writer,
                                  const uint32_t *places, size_t count)
{
    return count < 2 || index_find_stack(&writer->state, places, count) ? 0
                                                                        : count;
}

static bool has_places(const struct xenoprof_writer *writer,
                       const uint32_t *places, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        if ( places[i] && !tables_place(&writer->state.tables, places[i]) )
            return false;
    return true;
}

enum xenoprof_status xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count)
{
    struct xenoprof_stored stored = *sample;

    if ( !count )
    {
        places = &sample->place;
        count = 1;
    }
    if ( sample->mode >= XENOPROF_MODES || count > STACK_MAX ||
         !has_places(writer, places, count) )
        return handle_fail(
            writer->handle, XENOPROF_INVALID,
            "%s: a sample with mode %u and a chain of %zu places "
            "(%u are allowed), or of places that this session "
            "does not have",
            writer->folder, sample->mode, count, STACK_MAX);
    stored.place = places[0];
    stored.stack = 0;
    if ( count > 1 )
    {
        stored.stack = index_stack(&writer->state, places, (uint32_t)count);
        if ( !stored.stack )
            return handle_no_memory(writer->handle);
    }
    return encode_sample(writer, &stored);
}

enum xenoprof_status xenoprof_writer_ring(struct xenoprof_writer *writer,
                                          const struct xenoprof_ring_info *info,
                                          uint64_t read, uint64_t lost_daemon,
                                          uint64_t spooled)
{
    struct xenoprof_ring_past ring;
    bool changed;

    memset(&ring, 0, sizeof(ring));
    ring.info = *info;
    ring.read = read;
    ring.lost_daemon = lost_daemon;
    ring.spooled = spooled;
    if ( !state_ring(&writer->state, &ring, &changed) )
        return handle_no_memory(writer->handle);
    return changed ? encode_ring(writer, &ring) : XENOPROF_OK;
}

enum xenoprof_status xenoprof_writer_ring_ended(
    struct xenoprof_writer *writer, const struct xenoprof_ring_info *info)
{
    return state_end_ring(&writer->state, info)
               ? XENOPROF_OK
               : handle_no_memory(writer->handle);
}

enum xenoprof_status xenoprof_writer_counters(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_counters *counters)
{
    writer->state.counters = *counters;
    writer->state.counters_time = time;
    writer->state.counted = true;
    return encode_counters(writer, time, counters);
}

enum xenoprof_status xenoprof_writer_idle(struct xenoprof_writer *writer,
                                          uint64_t time, uint16_t pcpu,
                                          uint64_t idle)
{
    return encode_idle(writer, time, pcpu, idle);
}

size_t xenoprof_writer_past_rings(const struct xenoprof_writer *writer)
{
    return writer->state.rings.count;
}

void xenoprof_writer_past_ring(const struct xenoprof_writer *writer,
                               size_t index, struct xenoprof_ring_past *ret)
{
    *ret = writer->state.rings.items[index];
}

size_t xenoprof_writer_past_sums(const struct xenoprof_writer *writer)
{
    return writer->state.ring_sums.count;
}

void xenoprof_writer_past_sum(const struct xenoprof_writer *writer,
                              size_t index, struct xenoprof_ring_sum *ret)
{
    *ret = *(const struct xenoprof_ring_sum *)table_at(&writer->state.ring_sums,
                                                       index);
}

const char *xenoprof_writer_past_attribute(const struct xenoprof_writer *writer,
                                           const char *key)
{
    const struct session_state *state = &writer->state;

    for ( size_t i = 0; i < state->attributes.count; i++ )
        if ( !strcmp(
                 tables_string(&state->tables, state->attributes.items[i].key)
                     ->text,
                 key) )
            return tables_string(&state->tables,
                                 state->attributes.items[i].value)
                ->text;
    return NULL;
}
