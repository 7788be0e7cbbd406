/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses in a perf.data as places of the session. */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_PLACES_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_PLACES_H

#include "perf-files.h"
#include "perf-kernel.h"
#include "perf-space.h"

#include <libxenoprof.h>

/* Where an address is. */
struct perf_where {
    const struct perf_space *space; /* of the process; NULL: nothing is known */
    uint16_t domain;
    uint8_t mode;
    bool guest; /* of a guest, of which nothing is mapped */
};

/* Who numbers places. */
struct perf_place_taker {
    void *argument;
    /* Returns the number of a place, good until perf_places_epoch(). */
    uint32_t (*place)(void *argument, const struct xenoprof_place *place);
};

struct perf_places;

/* What is given stays the caller's; of the taker there is a copy. */
struct perf_places *perf_places_open(const struct perf_place_taker *taker,
                                     struct perf_files *files,
                                     struct perf_kernel *kernel);
/* Takes NULL. */
void perf_places_close(struct perf_places *places);

/* Numbers of another epoch than the last one that was said, which was 0 at
 * first, are not good any more. */
void perf_places_epoch(struct perf_places *places, uint32_t epoch);

/* Returns the number of the place. */
uint32_t perf_place(struct perf_places *places, const struct perf_where *where,
                    uint64_t address);

/* Returns whose code it is: a file of ours says of all that it is a kernel's.
 */
uint8_t perf_place_mode(struct perf_places *places,
                        const struct perf_where *where, uint64_t address);

#endif
