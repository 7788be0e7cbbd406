/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample's record while its parts are put together.
 *
 * Each pCPU has one in Xen's own memory: it is too large for the stack, and its
 * length is known only with its last part.  It is copied into a ring as a
 * whole, so that nothing is read back from a shared page.
 */
#ifndef XENOPROF_HYPERVISOR_SAMPLE_RECORD_H
#define XENOPROF_HYPERVISOR_SAMPLE_RECORD_H

#include "queue.h"
#include "ring.h"
#include "windows.h"

struct sample_record {
    struct xenoprof_sample *sample; /* followed by its parts */
    uint32_t room;                  /* bytes, with the sample's own */
    uint32_t length;                /* bytes in use */
    const struct windows *windows;  /* the last parts, or NULL */
};

/* Returns the largest size of a sample with the parts in mask (enum
 * xenoprof_part), without its windows. */
uint32_t sample_record_bytes(uint32_t mask);

/* Allocates room for that near the pCPU.  Returns false without memory.
 * [command] */
bool sample_record_open(struct sample_record *record, unsigned int pcpu,
                        uint32_t mask);
void sample_record_close(struct sample_record *record);

/* Begins a record, without parts, with what the first half saw at that time.
 * [soft] */
void sample_record_begin(struct sample_record *record,
                         const struct queue_entry *entry, uint64_t time,
                         uint16_t pcpu);

/* Adds a part of that length; parts come in the order of record-parts.def.
 * Returns where to write all of it, or NULL without room: the part is left out.
 * [soft] */
static inline void *sample_record_add(struct sample_record *record,
                                      enum xenoprof_part part, uint32_t length)
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

/* Always the last parts of the record; windows must stay as they are until the
 * record is in a ring. */
static inline void sample_record_add_windows(struct sample_record *record,
                                             const struct windows *windows)
{
    record->windows = windows;
    record->sample->head.length += windows->length;
    record->sample->head.parts |= windows->parts;
}

/* Returns the record as ring_put() takes it. [soft] */
static inline void sample_record_pieces(const struct sample_record *record,
                                        struct ring_piece ret[RING_PIECES])
{
    const struct windows *windows = record->windows;

    ret[0].bytes = record->sample;
    ret[0].length = record->length;
    ret[1].bytes = windows ? windows->bytes : NULL;
    ret[1].length = windows ? windows->length : 0;
}

#endif
