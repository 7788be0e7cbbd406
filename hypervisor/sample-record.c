/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Putting a sample's record together, part by part.
 */
#include "sample-record.h"

/* Most that a part takes in the record; windows are not in it. */
#define ROOM_NOTHING(structure) sizeof(struct xenoprof_##structure)
#define ROOM_ADDRESSES(structure)                                              \
    (sizeof(struct xenoprof_##structure) +                                     \
     XENOPROF_CHAIN_MAX * sizeof(uint64_t))
#define ROOM_BYTES(structure) 0

static const uint32_t part_bytes[] = {
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    [bit] = ROOM_##tail(structure),
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
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
