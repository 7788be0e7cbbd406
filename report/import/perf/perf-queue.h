/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in the order of their times.  Each CPU's come in order, but one CPU
 * after the other; perf says when a round of them is over: what is older than
 * all of the round before can come no more.  Memory is bounded: where too much
 * waits, what is oldest goes.
 */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_QUEUE_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_QUEUE_H

#include "base/vector.h"
#include "perf-stream.h"

struct perf_waiting {
    uint64_t time;
    size_t offset; /* of the body, in perf_queue.bytes */
    uint32_t type, size;
    uint16_t misc;
};

/* All zeroes but for the first two: empty. */
struct perf_queue {
    void (*take)(void *argument, uint64_t time,
                 const struct perf_record *record);
    void *argument;
    struct {
        VECTOR(struct perf_waiting);
    } waiting;
    struct buffer bytes;
    uint64_t newest, before; /* time of all, and of all before this round */
    size_t kept;             /* bytes that the last round left */
};

/* Takes a record with a time. */
void perf_queue_put(struct perf_queue *queue, uint64_t time,
                    const struct perf_record *record);
/* A round is over. */
void perf_queue_round(struct perf_queue *queue);
/* There are no more. */
void perf_queue_end(struct perf_queue *queue);
void perf_queue_free(struct perf_queue *queue);

#endif
