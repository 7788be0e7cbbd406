/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long each vCPU of the host ran and waited, as a session says it.
 *
 * Times are kept with how long they are about: what is missing (a daemon was
 * killed, a block is damaged, records were lost) is in no time, and shows as
 * the difference to how long the vCPU was seen to be there.
 */
#ifndef XENOPROF_REPORT_WAITS_WAITS_H
#define XENOPROF_REPORT_WAITS_WAITS_H

#include "base/names.h"
#include "base/table.h"
#include "report/model/time-range.h"
#include "wait-bins.h"

#include <libxenoprof.h>

#include <stdbool.h>

#define WAITS_MARKED 5.0 /* percent of its time that a vCPU waits for a pCPU */

struct waits_key {
    uint8_t uuid[16];
    uint32_t domain;
    uint32_t vcpu;
};

struct waiting_vcpu {
    struct waits_key key;
    struct vcpu_times times;
    uint64_t from, to; /* Xen's time; it was there all the time */
    uint32_t domain;   /* index into domains */
};

struct waiting_domain {
    struct waits_key key; /* vCPU 0 */
    uint32_t name;
    uint32_t vcpus;          /* with times */
    struct vcpu_times times; /* of all of them */
};

struct waits {
    struct table vcpus;         /* struct waiting_vcpu */
    struct table domains;       /* struct waiting_domain; some have no vCPU */
    struct wait_bins bins;      /* the same by time, if that is wanted */
    struct wait_bins vcpu_bins; /* and so of each vCPU: a row of more than one
                                   bin has its part in each */
};

void waits_init(struct waits *waits);
void waits_free(struct waits *waits);

/* Returns what a time that is spread evenly over a whole has between two of its
 * moments: parts add up to all of it. */
uint64_t waits_between(uint64_t time, uint64_t whole, uint64_t from,
                       uint64_t to);

/* What the session calls a domain, profiled or not.  False if there is no
 * memory, as below. */
void waits_name(struct waits *waits, const struct xenoprof_item *domain,
                uint32_t name);
/* Adds times that end at time, as far as they lie in the span; they are spread
 * evenly. */
void waits_add(struct waits *waits, const struct time_span *span, uint64_t time,
               const struct xenoprof_waited *waited);

/* Returns a domain that has a name or times, or NULL. */
const struct waiting_domain *waits_find(const struct waits *waits,
                                        const uint8_t uuid[16],
                                        uint32_t number);
/* Adds what a domain's vCPUs did to *to. */
void waits_add_domain(const struct waits *waits, const uint8_t uuid[16],
                      uint32_t number, struct vcpu_times *to);

struct waits_row {
    const struct waiting_domain *domain;
    const struct waiting_vcpu *vcpu;
};

/* Returns a row for each vCPU, waits->vcpus.count of them, malloc'ed.  Those of
 * a domain stand together; the domain that waited longest for a pCPU, by its
 * share, is first, and so in a domain. */
struct waits_row *waits_sorted(const struct waits *waits);

/* Returns part in percent of all that is known. */
double waits_percent(const struct vcpu_times *times, uint64_t part);
/* Returns how long it could run and was not let: for want of a pCPU, or by its
 * cap. */
static inline uint64_t waits_ready(const struct vcpu_times *times)
{
    return times->runnable + times->capped;
}
static inline bool waits_marked(const struct vcpu_times *times)
{
    return waits_percent(times, waits_ready(times)) > WAITS_MARKED;
}

/* Returns how long vCPUs were there and their times are not known. */
uint64_t waits_missing(const struct waits *waits);

#endif
