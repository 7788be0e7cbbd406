/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample's record while its parts are put together.
 *
 * Each pCPU has one, in Xen's own memory: it is larger than a stack frame
 * should be, and its length is known only when its last part is there.  It is
 * copied into a ring whole, so nothing is read back from a shared page.
 */
#ifndef XENOPROF_HYPERVISOR_SAMPLE_RECORD_H
#define XENOPROF_HYPERVISOR_SAMPLE_RECORD_H

#include "queue.h"
#include "ring.h"
#include "windows.h"

struct sample_record {
    struct xenoprof_sample *sample; /* its parts follow */
    uint32_t room;                  /* bytes, the sample's included */
    uint32_t length;                /* of them in use */
    const struct windows *windows;  /* the last parts; NULL: none */
};

/* The most bytes that a sample with the parts in mask (enum xenoprof_part)
 * is long, without its windows. */
uint32_t sample_record_bytes(uint32_t mask);

/* Room for that.  False: no memory. [command] */
bool sample_record_open(struct sample_record *record, uint32_t mask);
void sample_record_close(struct sample_record *record);

/* Begin with what the first half saw; there are no parts yet. [soft] */
void sample_record_begin(struct sample_record *record,
                         const struct queue_entry *entry, uint16_t pcpu);

/* Parts, in the order of record-parts.def.  One that there is no room for is
 * left out. [soft] */
void sample_record_add_guest(struct sample_record *record,
                             const struct port_state *at);
/* The current guest's, which is where port_guest_state() has just said. */
void sample_record_add_registers(struct sample_record *record,
                                 const struct port_state *guest);
/* At most XENOPROF_CHAIN_MAX. */
void sample_record_add_xen_stack(struct sample_record *record,
                                 const uint64_t *frames, uint32_t count);
/* The last ones, whenever they are added; they stay where they are until the
 * record is in a ring. */
void sample_record_add_windows(struct sample_record *record,
                               const struct windows *windows);

/* The record as a ring takes it. [soft] */
void sample_record_pieces(const struct sample_record *record,
                          struct ring_piece ret[RING_PIECES]);

#endif
