/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Putting a sample's record together, part by part.
 */
#include "sample-record.h"

static const uint32_t part_bytes[] = {
    [0] = sizeof(struct xenoprof_guest),
    [1] = sizeof(struct xenoprof_registers),
    [2] = sizeof(struct xenoprof_chain) + XENOPROF_CHAIN_MAX * sizeof(uint64_t),
};

uint32_t sample_record_bytes(uint32_t mask)
{
    uint32_t bytes = sizeof(struct xenoprof_sample);

    for ( unsigned int i = 0; i < sizeof(part_bytes) / sizeof(*part_bytes);
          i++ )
        if ( mask & 1u << i )
            bytes += part_bytes[i];
    return bytes;
}

bool sample_record_open(struct sample_record *record, unsigned int pcpu,
                        uint32_t mask)
{
    record->room = sample_record_bytes(mask);
    record->sample = port_alloc_near(pcpu, record->room);
    return record->sample != NULL;
}

void sample_record_close(struct sample_record *record)
{
    if ( record->sample )
        port_free_near(record->sample, record->room);
    record->sample = NULL;
}

void sample_record_begin(struct sample_record *record,
                         const struct queue_entry *entry, uint64_t time,
                         uint16_t pcpu)
{
    *record->sample = (struct xenoprof_sample){
        .head.kind = XENOPROF_RECORD_SAMPLE,
        .head.length = sizeof(*record->sample),
        .time = time,
        .ip = entry->at.ip,
        .sp = entry->at.sp,
        .flags = entry->at.flags,
        .domain = entry->domain,
        .vcpu = entry->vcpu,
        .pcpu = pcpu,
        .mode = entry->at.mode,
        .weight = entry->weight,
        .marks = entry->marks,
        .period = entry->period,
    };
    record->length = sizeof(*record->sample);
    record->windows = NULL;
}

/* Returns where to write the part, or NULL without room. */
static void *add_part(struct sample_record *record, enum xenoprof_part part,
                      uint32_t length)
{
    struct xenoprof_record *head = &record->sample->head;
    void *at = (unsigned char *)record->sample + record->length;

    if ( length > record->room - record->length )
        return NULL;
    record->length += length;
    head->length += length;
    head->parts |= part;
    return at;
}

void sample_record_add_guest(struct sample_record *record,
                             const struct port_state *at)
{
    struct xenoprof_guest *guest = add_part(record, XENOPROF_PART_GUEST,
                                            sizeof(*guest));

    if ( guest )
        *guest = (struct xenoprof_guest){
            .ip = at->ip,
            .sp = at->sp,
            .flags = at->flags,
            .cs = at->cs,
            .ss = at->ss,
            .mode = at->mode,
        };
}

void sample_record_add_registers(struct sample_record *record,
                                 const struct port_state *guest)
{
    struct xenoprof_registers *registers = add_part(
        record, XENOPROF_PART_REGISTERS, sizeof(*registers));

    if ( registers )
        port_guest_registers(guest, registers);
}

void sample_record_add_xen_stack(struct sample_record *record,
                                 const uint64_t *frames, uint32_t count)
{
    uint32_t bytes = count * sizeof(*frames);
    struct xenoprof_chain *chain = add_part(record, XENOPROF_PART_XEN_STACK,
                                            sizeof(*chain) + bytes);

    if ( !chain )
        return;
    *chain = (struct xenoprof_chain){.count = count};
    memcpy(chain + 1, frames, bytes);
}

void sample_record_add_windows(struct sample_record *record,
                               const struct windows *windows)
{
    record->windows = windows;
    record->sample->head.length += windows->length;
    record->sample->head.parts |= windows->parts;
}

void sample_record_pieces(const struct sample_record *record,
                          struct ring_piece ret[RING_PIECES])
{
    const struct windows *windows = record->windows;

    ret[0].bytes = record->sample;
    ret[0].length = record->length;
    ret[1].bytes = windows ? windows->bytes : NULL;
    ret[1].length = windows ? windows->length : 0;
}
