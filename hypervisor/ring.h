/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producer's side of one ring.
 *
 * All state is in Xen's own memory; the ring page is a copy for the reader and
 * is never read back.  A ring has one writer at a time: the pCPU on which its
 * vCPU is current, or the pCPU that it belongs to.  When a vCPU moves, Xen's
 * scheduler orders what the last writer did before what the next one does.
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
    uint32_t unread;          /* bytes, with RING_WRITTEN_MUCH or _HALF */
    uint16_t state;           /* enum xenoprof_ring_state */
    bool detached;            /* without a writer: release may free it */
    struct pages *pages;      /* the ring page, then the data pages */
    const uint64_t *consumer; /* dom0 writes it: read once per use, check */
    uint64_t producer;
    uint64_t made;
    uint64_t committed;
    uint64_t lost[XENOPROF_CAUSES];
    uint64_t unreported[XENOPROF_CAUSES]; /* lost since the last LOST record */
    bool unreported_any;                  /* one of them is not 0 */
};

enum ring_result {
    RING_WRITTEN,
    RING_WRITTEN_HALF, /* written, and at least half of the ring is unread, */
    RING_WRITTEN_MUCH, /* or five eighths */
    RING_FULL,         /* dropped: cause RING */
    RING_REFUSED,      /* stopped or closed: cause STOPPED */
};

/* Returns a new ring, or NULL without memory.  The directory adds number,
 * generation and consumer. [command] */
struct ring *ring_create(const struct ring_name *name, uint32_t data_pages);
/* Fills in the ring page; the directory makes it visible. [command] */
void ring_show(struct ring *ring);
/* Frees a ring that nobody writes to, and gives its pages back. [command] */
void ring_destroy(struct ring *ring);

/* Returns the bytes of a ring with so many data pages, as the ceiling counts
 * them. */
uint32_t ring_bytes(uint32_t data_pages);

struct ring_piece {
    const void *bytes;
    uint32_t length; /* a multiple of 8, may be 0 */
};
#define RING_PIECES 2u

/* Writes a sample that lies in pieces, one after the other, and counts it as
 * made and as committed or lost.  time is for LOST records. [soft] */
enum ring_result ring_put(struct ring *ring,
                          const struct ring_piece record[RING_PIECES],
                          uint64_t time);

/* Where a record goes that is written in place. */
struct ring_space {
    uint64_t at;     /* its first byte, in bytes since the ring was made */
    uint64_t unread; /* bytes, before it */
};

/*
 * Finds room for a record of at most so many bytes, whose length is not known
 * yet.  Returns true: its bytes may be written where ring_bytes_at() says, and
 * nothing else to this ring before ring_finish(), which may be left out.  Or
 * false, where ring_put() may still have room for what it is in the end, or has
 * to say what was lost. [soft]
 */
bool ring_reserve(struct ring *ring, uint32_t most, struct ring_space *ret);

/* Returns where a byte of the ring is, and lowers *length to what follows it in
 * the same page. [soft] */
static inline void *ring_bytes_at(const struct ring *ring, uint64_t at,
                                  uint32_t *length)
{
    uint32_t offset = at & (ring->size - 1);
    uint32_t in_page = offset % XENOPROF_PAGE_SIZE;
    unsigned char *page = ring->pages->page[1 + offset / XENOPROF_PAGE_SIZE];

    if ( *length > XENOPROF_PAGE_SIZE - in_page )
        *length = XENOPROF_PAGE_SIZE - in_page;
    return page + in_page;
}

/* Ends a record of that length in that space: writes its beginning, the rest is
 * there, and counts it as ring_put() does. [soft] */
enum ring_result ring_finish(struct ring *ring, const struct ring_space *space,
                             const struct ring_piece *beginning,
                             uint32_t length);

/* Writes records that the ring does not count, one behind the other, in pieces
 * as ring_put() does.  Returns RING_WRITTEN, or _HALF if half of the room for
 * such is unread, or RING_FULL if they are dropped: the ring is not open, or
 * half of it would be unread, and that half is for what it counts. [soft] */
enum ring_result ring_tell(struct ring *ring,
                           const struct ring_piece records[RING_PIECES]);

/* Counts samples that were lost before they came here as made and lost; a LOST
 * record precedes the next one. [soft] */
void ring_lose(struct ring *ring, enum xenoprof_cause cause, uint64_t count);

/* Closes the ring of a domain that is gone.  Returns true if it was open until
 * now. */
bool ring_close(struct ring *ring);

#endif
