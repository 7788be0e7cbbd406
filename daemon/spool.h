/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait for a guest's kernel to be found, or for its walker: copies
 * of their records, a queue for each ring.
 *
 * They hold what a guest had on its stack.  So their memory is locked, is in no
 * core dump, is filled with zeroes when its last sample has gone, and is given
 * back soon after.  It is bounded, and divided among guests: a guest may hold
 * as much as is still free, so k of them that want all leave 1/(k+1) of it to
 * one that comes.  One that holds more, since others came, shrinks bit by bit:
 * it may take half of what it gives back.
 */
#ifndef XENOPROF_DAEMON_SPOOL_H
#define XENOPROF_DAEMON_SPOOL_H

#include "base/table.h"
#include "libxenoprof/libxenoprof.h"

/* Memory is taken in pieces of this size, or of that of a longer record. */
#define SPOOL_CHUNK 32768u

struct spool_chunk;

/* A queue; all zeroes is empty. */
struct spool_fifo {
    struct spool_chunk *first, *last;
    struct spool_chunk *cursor; /* where the next one to be asked for is */
    uint32_t cursor_at;
    uint32_t count;   /* of samples */
    uint32_t given;   /* bytes of chunks given back since it took one */
    uint8_t uuid[16]; /* whose share it takes from */
};

/* The record follows. */
struct spool_entry {
    uint32_t size; /* with this */
    uint32_t reserved;
    uint64_t tag;   /* of the sample */
    uint64_t since; /* our clock */
};

struct spool {
    uint64_t limit;
    uint64_t used;       /* bytes of chunks with samples */
    uint64_t samples;    /* that wait */
    uint64_t bytes;      /* of their records */
    struct table shares; /* bytes of chunks by guest */
    unsigned int guests; /* that hold any */
    struct spool_chunk *spare;
    unsigned int spares;
    unsigned int unneeded; /* spares that were not used since spool_trim() */
    int error; /* errno: why memory could not be locked at last; 0: it could */
};

/* What waits. */
struct spool_waiting {
    uint64_t samples, bytes;
    unsigned int guests;
};

/* limit is in bytes; 0: nothing can wait. */
void spool_open(struct spool *spool, uint64_t limit);
/* All queues are empty. */
void spool_close(struct spool *spool);

/* Copies a record to the end of a queue of this guest.  Returns false if there
 * is no room: nothing was done. */
bool spool_put(struct spool *spool, struct spool_fifo *fifo,
               const uint8_t uuid[16], const struct xenoprof_record *record,
               uint64_t tag, uint64_t now);

/* Returns the oldest sample of a queue, or NULL; good until it is dropped. */
const struct spool_entry *spool_head(const struct spool_fifo *fifo);
void spool_drop_head(struct spool *spool, struct spool_fifo *fifo);
void spool_clear(struct spool *spool, struct spool_fifo *fifo);

/* The oldest that was not asked for, or NULL.  spool_asked() goes on to the
 * next, spool_ask_again() back to the head. */
const struct spool_entry *spool_unasked(const struct spool_fifo *fifo);
void spool_asked(struct spool_fifo *fifo);
void spool_ask_again(struct spool_fifo *fifo);

/* Returns the record of a sample that waits. */
struct xenoprof_view spool_view(const struct spool_entry *entry);

/* Gives memory back that was not needed since the last call. */
void spool_trim(struct spool *spool);

static inline struct spool_waiting spool_waits(const struct spool *spool)
{
    return (struct spool_waiting){spool->samples, spool->bytes, spool->guests};
}

#endif
