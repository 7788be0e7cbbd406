/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long vCPUs waited for a pCPU each time, and who had it meanwhile, as a
 * session says it whose recording read Xen's traces.
 */
#ifndef XENOPROF_REPORT_WAITS_WAIT_LENGTHS_H
#define XENOPROF_REPORT_WAITS_WAIT_LENGTHS_H

#include "base/table.h"
#include "report/model/time-range.h"

#include <libxenoprof.h>

#include <stdbool.h>

struct length_row {
    struct length_key {
        uint8_t uuid[16];
        uint32_t domain, vcpu;
        uint32_t why; /* enum xenoprof_latency_why */
    } key;
    uint64_t count, sum, longest; /* ns */
    uint64_t buckets[XENOPROF_LATENCY_BUCKETS];
    uint32_t taker; /* the last that came, an index into takers and 1 */
};

/* How long a row's waits were for one domain. */
struct taker_row {
    struct taker_key {
        uint8_t uuid[16];
        uint32_t by;  /* XENOPROF_NOBODY: nobody that is known */
        uint32_t row; /* index into rows */
    } key;
    uint32_t next; /* of the same row, likewise; 0: none */
    uint64_t sum;  /* ns */
};

struct wait_lengths {
    struct table rows;   /* struct length_row */
    struct table takers; /* struct taker_row */
};

void lengths_init(struct wait_lengths *lengths);
void lengths_free(struct wait_lengths *lengths);

/* Adds waits that ended up to that time, if it lies in the span. */
void lengths_add(struct wait_lengths *lengths, const struct time_span *span,
                 uint64_t time, const struct xenoprof_latency *latency);

/* Returns a time, in ns, than which so many percent of a row's waits were
 * shorter: the end of a bucket, or the longest wait. */
uint64_t lengths_under(const struct length_row *row, unsigned int percent);

/* Returns pointers to all rows, those that waited longest in all first,
 * malloc'ed. */
struct length_row **lengths_sorted(const struct wait_lengths *lengths);

/* Puts a row's takers into *ret, at most so many, those that had the pCPU for
 * longest first.  Returns their number. */
size_t lengths_takers(const struct wait_lengths *lengths,
                      const struct length_row *row,
                      const struct taker_row **ret, size_t most);

#endif
