/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows that wait to be sent: a folder with a file each, oldest first.  It
 * is bounded by bytes and age, survives any end, and counts what it drops.
 *
 * A file has a head with lengths and checksums, and the body of a request.  It
 * comes into the folder whole, by its name: its number, and .window.
 */
#ifndef XENOPROF_PUSH_PUSH_QUEUE_H
#define XENOPROF_PUSH_PUSH_QUEUE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "base/vector.h"
#include "window.h"

/* More than that no window has; a receiver's limit is far below it. */
#define QUEUE_BODY_MAX (64u << 20)
/* So many wait at most, whatever their bytes. */
#define QUEUE_COUNT_MAX 65536u

#define QUEUE_ENGINE_MAX 16u

/* Why a window is dropped. */
enum queue_drop {
    QUEUE_DROP_AGE,     /* it has waited too long */
    QUEUE_DROP_SIZE,    /* there is no room */
    QUEUE_DROP_TORN,    /* its file is not what was written */
    QUEUE_DROP_REFUSED, /* the receiver will never take it */
    QUEUE_DROPS
};

/* What is said of a window beside its body. */
struct queue_head {
    char engine[QUEUE_ENGINE_MAX]; /* whose body it is */
    char session[WINDOW_SESSION_MAX];
    uint64_t position; /* what the session was read up to */
    uint64_t samples;
    uint64_t from, to; /* ns since 1970 */
};

struct queue_entry {
    uint64_t number;
    uint64_t size; /* of the file */
    uint64_t samples, to;
};

struct push_queue {
    int folder;
    uint64_t bytes_max; /* of all files */
    uint64_t age_max;   /* ns */
    uint64_t next;      /* the next number */
    uint64_t bytes, samples;
    size_t first; /* entries before it are gone */
    VECTOR(struct queue_entry);
    struct queue_head last; /* of the newest window; empty: there is none */
    struct queue_dropped {
        uint64_t windows, samples;
    } dropped[QUEUE_DROPS];
};

/* Reads which windows wait in the folder, which stays the caller's; the bounds
 * are set.  Drops what is torn.  Returns 0 or STATUS_FAILED.  queue_close() in
 * any case. */
int queue_open(struct push_queue *queue, int folder, struct failure *failure);
void queue_close(struct push_queue *queue);

size_t queue_count(const struct push_queue *queue);

/* Adds a window; the oldest go if there is no room.  Returns 0, or
 * STATUS_DISK_FULL if it cannot be written: it is not in the queue then. */
int queue_put(struct push_queue *queue, const struct queue_head *head,
              const struct buffer *body, struct failure *failure);

/* Drops what is older than it may be, at that time (ns since 1970). */
void queue_expire(struct push_queue *queue, uint64_t now);

/* Reads the oldest window.  Returns false if there is none.  One that is torn
 * is dropped, and the next one is the oldest. */
bool queue_first(struct push_queue *queue, struct queue_head *head,
                 struct buffer *body);
/* The oldest was taken: it is gone. */
void queue_done(struct push_queue *queue);
/* It is gone, and counted. */
void queue_drop(struct push_queue *queue, enum queue_drop why);

#endif
