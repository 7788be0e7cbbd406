/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait for names in the daemon's memory while a session is
 * recorded.  The session says how many there are, of which vCPU, mode and
 * second, and for how much time they stand, so that they count among the
 * samples of their second; they are read when they have names.
 */
#ifndef XENOPROF_REPORT_TIME_SPOOLED_TIMES_H
#define XENOPROF_REPORT_TIME_SPOOLED_TIMES_H

#include "slots.h"

#include <libxenoprof.h>

/* What they ran, for people. */
#define SPOOLED_NAME "[not named yet]"

/* More rows are passed over: 120 s of a thousand vCPUs have fewer. */
#define SPOOLED_MOST (1u << 19)

struct spooled_time {
    struct {
        uint8_t uuid[16];
        uint64_t second;
        uint32_t domain;
        uint16_t vcpu, mode;
    } key;
    int64_t samples, ticks; /* of what was said, the sum */
};

struct spooled_times {
    struct table rows;      /* struct spooled_time */
    size_t over;            /* of these, that nothing waits of */
    struct time_span there; /* what the session has, and */
    struct time_span span;  /* ... what is wanted of it; in Xen's time */
};

/* All that there is is wanted. */
void spooled_init(struct spooled_times *spooled);
void spooled_free(struct spooled_times *spooled);

/* Takes an item; of kinds other than SPOOLED and CLOSED it says nothing. */
void spooled_take(struct spooled_times *spooled,
                  const struct xenoprof_item *item);

/* Returns the part of a row that is wanted: 0 if nothing is, or waits. */
double spooled_part(const struct spooled_times *spooled,
                    const struct spooled_time *row);
/* Returns how many samples wait, wanted or not. */
uint64_t spooled_samples(const struct spooled_times *spooled);

/* Their ticks are those of their owners; where these are pCPUs, and nothing
 * says on which pCPU a sample was taken, of all alike. */
void spooled_add_ticks(const struct spooled_times *spooled,
                       struct slots *slots);
/* Returns whose a row's time is; pcpu: the one of these that is meant. */
struct owner_key spooled_owner(const struct slots *slots,
                               const struct spooled_time *row, uint32_t pcpu);
/* Slots are settled: returns ns of the part of a row that is wanted, if all of
 * it is this owner's. */
double spooled_ns(const struct spooled_times *spooled,
                  const struct spooled_time *row, struct slots *slots,
                  uint32_t pcpu);

#endif
