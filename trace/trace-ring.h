/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pCPU's trace buffer: Xen writes records, and their reader says how far it
 * is.  There is one reader for all of the host: if its mark moves by itself,
 * somebody else reads too, and each gets what the other does not.
 *
 * The buffer is two numbers of 32 bits, the reader's mark and Xen's, and the
 * records.  Marks count to twice the records' size, so that a full buffer
 * differs from an empty one.
 */
#ifndef XENOPROF_TRACE_TRACE_RING_H
#define XENOPROF_TRACE_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "trace-event.h"

struct trace_ring {
    uint32_t *marks; /* the reader's, Xen's */
    const uint8_t *data;
    uint32_t size;     /* of data; a multiple of 4 */
    uint32_t at;       /* our mark */
    uint32_t reported; /* what it was when Xen got it last */
    uint16_t pcpu;
};

enum trace_result {
    TRACE_TAKEN,
    TRACE_EMPTY, /* for now */
    TRACE_BROKEN /* what is there are no records: they are left out */
};

/* memory is the whole buffer, and stays the caller's.  All that was written so
 * far is left out.  Returns false if it cannot be a buffer. */
bool trace_ring_open(struct trace_ring *ring, uint16_t pcpu, void *memory,
                     size_t size);

/* Takes the next record; one that only fills the end of the buffer is none.
 * Xen may write over it after trace_ring_release(). */
enum trace_result trace_ring_next(struct trace_ring *ring,
                                  struct trace_event *ret);

/* Returns true if somebody else reads too. */
bool trace_ring_is_shared(const struct trace_ring *ring);

/* What was taken is Xen's again. */
void trace_ring_release(struct trace_ring *ring);

#endif
