/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the call chains of stored samples ended, by domain, in Xen, in its kernel
 * and in its processes: counted, and sent as the line `chains` of --status.
 */
#ifndef XENOPROF_CONTROL_CHAIN_COUNTS_H
#define XENOPROF_CONTROL_CHAIN_COUNTS_H

#include <stdio.h>

#include "base/vector.h"
#include "domain-list.h"
#include "libxenoprof.h"

struct chain_count {
    uint16_t domain;
    uint8_t mode; /* xen, kernel or user */
    char name[DOMAIN_NAME_MAX];
    uint64_t ended[XENOPROF_ENDS];
};

/* All zeroes is an empty one. */
struct chain_counts {
    VECTOR(struct chain_count);
    uint32_t *rows; /* by domain and mode: index + 1, or 0; NULL: no row yet */
    /* Chains of this mode are recorded: a sample has callers, or a reason why
     * it has none. */
    bool walked[XENOPROF_MODES];
};

/* Counts a sample in Xen or a kernel, or in a process whose chains are walked;
 * ignores others, and all samples while there is no memory.  What came to the
 * process below a kernel is a whole chain of its own mode, and one of a
 * process. */
void chain_counts_add(struct chain_counts *counts,
                      const struct xenoprof_stored *sample);
/* The rows of this domain become a part of those of another. */
void chain_counts_end(struct chain_counts *counts, uint16_t domain,
                      uint16_t others);
void chain_counts_free(struct chain_counts *counts);

/* Returns the number of chains in a row. */
uint64_t chain_count_all(const struct chain_count *row);

/* Writes a row as a line (protocol.h), with name as the domain's. */
void chain_count_put(const struct chain_count *row, const char *name,
                     FILE *file);
/* Adds the row of such a line; its mode counts as walked. */
void chain_counts_take(struct chain_counts *counts, const char *line);

#endif
