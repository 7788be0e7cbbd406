/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producer's side of one ring.
 *
 * Everything that counts is here, in Xen's own memory; what lies in the ring
 * page is a copy for the reader and is never read back.  A ring has one
 * writer at a time (design: only where its vCPU is current, or its pCPU).
 */
#ifndef XENOPROF_HYPERVISOR_RING_H
#define XENOPROF_HYPERVISOR_RING_H

#include "pages.h"

struct ring_name {
    enum xenoprof_ring_kind kind;
    uint16_t domain;
    uint16_t vcpu; /* or pCPU */
    uint8_t uuid[16];
};

struct ring {
    struct ring_name name;
    uint32_t number;
    uint32_t generation;
    uint32_t size;            /* bytes of data */
    uint16_t state;           /* enum xenoprof_ring_state */
    bool detached;            /* nobody writes any more; release may free it */
    struct pages *pages;      /* the ring page, then the data pages */
    const uint64_t *consumer; /* dom0's: read once per use, and check */
    uint64_t producer;
    uint64_t made;
    uint64_t committed;
    uint64_t lost[XENOPROF_CAUSES];
    uint64_t unreported[XENOPROF_CAUSES]; /* lost since the last LOST record */
    bool unreported_any;                  /* one of them is not 0 */
};

enum ring_result {
    RING_WRITTEN,
    RING_WRITTEN_HALF, /* written; half of the ring or more is unread */
    RING_FULL,         /* dropped: cause RING */
    RING_REFUSED,      /* stopped or closed: cause STOPPED */
};

/* All of a new ring but number, generation and consumer, which the directory
 * gives; NULL: no memory.  [command] */
struct ring *ring_create(const struct ring_name *name, uint32_t data_pages);
/* The reader can see it from now on. [command] */
void ring_show(struct ring *ring);
/* Nobody writes to it any more; gives its pages back. [command] */
void ring_destroy(struct ring *ring);

/* Bytes of a ring with so many data pages, as the ceiling counts them. */
uint32_t ring_bytes(uint32_t data_pages);

struct ring_piece {
    const void *bytes;
    uint32_t length; /* a multiple of 8, may be 0 */
};
#define RING_PIECES 2u

/* A whole sample, of pieces one after the other; counts it as made and as
 * what became of it.  time is for LOST records. [soft] */
enum ring_result ring_put(struct ring *ring,
                          const struct ring_piece record[RING_PIECES],
                          uint64_t time);

/* Samples that were lost on the way here: count them as made and lost, and
 * tell the reader before the next record. [soft] */
void ring_lose(struct ring *ring, enum xenoprof_cause cause, uint64_t count);

/* Its domain is gone.  True if it was open until now. */
bool ring_close(struct ring *ring);

#endif
