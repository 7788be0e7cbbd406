/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long vCPUs waited for a pCPU each time, why, and who had it, from the
 * changes of their states that Xen traced.
 *
 * Who was preempted waits for whoever had the next turn on that pCPU; who was
 * woken, for whoever had the turn before its own.  A wait is counted when it
 * ends, if its beginning is known.
 */
#ifndef XENOPROF_TRACE_LATENCIES_H
#define XENOPROF_TRACE_LATENCIES_H

#include <libxenoprof.h>

#include "base/table.h"
#include "turns.h"

/* Waits that are alike but for how long they were in a bucket. */
struct latency_sum {
    struct latency_key {
        struct traced_key who;
        uint16_t by; /* a domain, or XENOPROF_NOBODY */
        uint8_t why; /* enum xenoprof_latency_why */
        uint8_t bucket;
    } key;
    uint64_t count, sum, longest; /* ns */
    unsigned int asked;           /* how often its domain was not known */
};

struct latencies {
    struct table vcpus; /* struct latent_vcpu */
    struct table sums;  /* struct latency_sum; count may be 0 */
    uint64_t left_out;  /* waits for which there was no more room */
};

/* Takes no memory yet. */
void latencies_init(struct latencies *latencies);
void latencies_free(struct latencies *latencies);

/* Takes a change of that time; *turn is what it was before on its pCPU.
 * Returns false if there is no memory. */
bool latencies_take(struct latencies *latencies,
                    const struct traced_change *change, const struct turn *turn,
                    uint64_t time);

/* Records were lost: of no wait is known when it began. */
void latencies_forget(struct latencies *latencies);

/* Sums that were said have no count any more: they are dropped. */
void latencies_reported(struct latencies *latencies);

#endif
