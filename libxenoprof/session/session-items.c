/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a caller says of a session, places and samples apart. */
#include <string.h>

#include "session-format.h"
#include "session-writer.h"

#define ROW_BYTES 16u /* about what one takes */

static enum xenoprof_status check_text(struct xenoprof_writer *writer,
                                       const char *text)
{
    size_t length = strlen(text);

    if ( length > STRING_MAX )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a text of %zu bytes is longer than the %u that "
                           "a session holds",
                           writer->folder, length, STRING_MAX);
    return writer_has_room(writer) ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}

/* A row was added, unless there was no memory. */
static enum xenoprof_status added(struct xenoprof_writer *writer, bool done)
{
    if ( !done )
        return handle_no_memory(writer->handle);
    writer->block.pending += ROW_BYTES;
    return XENOPROF_OK;
}

enum xenoprof_status xenoprof_writer_attribute(struct xenoprof_writer *writer,
                                               uint64_t time, const char *key,
                                               const char *value)
{
    enum xenoprof_status status = check_text(writer, key);
    bool changed;

    if ( !status )
        status = check_text(writer, value);
    if ( status )
        return status;
    if ( !state_attribute(&writer->state, time, key, value, &changed) )
        return handle_no_memory(writer->handle);
    return changed ? added(writer, block_note(writer, time, 0, key, value))
                   : XENOPROF_OK;
}

enum xenoprof_status xenoprof_writer_domain(struct xenoprof_writer *writer,
                                            uint64_t time, uint16_t domain,
                                            const uint8_t uuid[16],
                                            const char *name, const char *kind)
{
    struct domain_state state = {.time = time,
                                 .name = (char *)name,
                                 .kind = (char *)kind,
                                 .domain = domain};
    enum xenoprof_status status = check_text(writer, name);
    uint32_t row;
    bool changed;

    if ( !status )
        status = check_text(writer, kind);
    if ( status )
        return status;
    memcpy(state.uuid, uuid, sizeof(state.uuid));
    if ( !state_domain(&writer->state, &state, &changed) )
        return handle_no_memory(writer->handle);
    if ( !changed )
        return XENOPROF_OK;
    writer->domain_rows[domain] = 0;
    row = writer_domain_row(writer, domain);
    return added(writer, row && block_note(writer, time, row, name, ""));
}

void xenoprof_writer_domain_ended(struct xenoprof_writer *writer,
                                  uint16_t domain, const uint8_t uuid[16])
{
    state_drop_domain(&writer->state, domain, uuid);
}

void xenoprof_writer_attribute_ended(struct xenoprof_writer *writer,
                                     const char *key)
{
    state_drop_attribute(&writer->state, key);
}

enum xenoprof_status xenoprof_writer_ring(struct xenoprof_writer *writer,
                                          const struct xenoprof_ring_info *info,
                                          uint64_t read, uint64_t lost_daemon,
                                          uint64_t spooled)
{
    struct xenoprof_ring_past ring;
    bool changed;

    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    memset(&ring, 0, sizeof(ring));
    ring.info = *info;
    ring.read = read;
    ring.lost_daemon = lost_daemon;
    ring.spooled = spooled;
    if ( !state_ring(&writer->state, &ring, &changed) )
        return handle_no_memory(writer->handle);
    return changed ? added(writer, block_ring(writer, &ring)) : XENOPROF_OK;
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
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer->state.counters = *counters;
    writer->state.counters_time = time;
    writer->state.counted = true;
    writer->now = time;
    writer_note_time(writer, time);
    return added(writer, block_counters(writer, time, counters));
}

enum xenoprof_status xenoprof_writer_idle(struct xenoprof_writer *writer,
                                          uint64_t time, uint16_t pcpu,
                                          uint64_t idle)
{
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    return added(writer, block_idle(writer, time, pcpu, idle));
}

enum xenoprof_status xenoprof_writer_wait(struct xenoprof_writer *writer,
                                          uint64_t time,
                                          const struct xenoprof_waited *waited)
{
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    return added(writer, block_wait(writer, time, waited));
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
    return state_attribute_now(&writer->state, key);
}
