/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call chain of a sample of perf's. */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_CHAIN_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_CHAIN_H

#include "perf-places.h"
#include "perf-sample.h"
#include "perf-unwind.h"

#define PERF_CHAIN_MAX 1025u /* one more than a session holds: it is cut then */

/* Whose code addresses are, by perf's mode or context. */
struct perf_owner {
    uint8_t mode; /* of the session */
    bool guest;
};

/* Returns the owner of what an event's misc says. */
struct perf_owner perf_owner_of(uint16_t misc);

struct perf_chain {
    uint32_t places[PERF_CHAIN_MAX]; /* leaf first */
    size_t count;
    bool truncated; /* the process's part does not reach its root */
};

/* What chains are made with. */
struct perf_chains {
    struct perf_places *places;
    struct perf_unwinder *unwinder;
    uint16_t host, guest; /* domains */
};

/* Makes the chain of a sample in this space. */
void perf_chain_make(const struct perf_chains *chains,
                     const struct perf_data_sample *sample, uint16_t misc,
                     const struct perf_space *space, struct perf_chain *ret);

#endif
