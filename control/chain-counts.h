/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the call chains of stored samples ended, by domain, in Xen and in its
 * kernel: what --status tells while a session is recorded.
 */
#ifndef XENOPROF_CONTROL_CHAIN_COUNTS_H
#define XENOPROF_CONTROL_CHAIN_COUNTS_H

#include "domain-list.h"
#include "libxenoprof.h"

struct chain_count {
    uint16_t domain;
    uint8_t mode;               /* xen or kernel */
    char name[DOMAIN_NAME_MAX]; /* whoever shows it knows */
    uint64_t ended[XENOPROF_ENDS];
};

struct chain_counts {
    struct chain_count *rows; /* malloc'ed */
    size_t count;
    bool walked[XENOPROF_MODES]; /* such chains were asked for: one has
                                    callers, or says why it has none */
};

/* The row of a domain and mode, a new one if there is none; NULL: no memory. */
struct chain_count *chain_counts_row(struct chain_counts *counts,
                                     uint16_t domain, uint8_t mode);
/* Count a sample, if it is one of those.  Without memory it is not counted. */
void chain_counts_add(struct chain_counts *counts,
                      const struct xenoprof_stored *sample);
void chain_counts_free(struct chain_counts *counts);

/* All samples of a row. */
uint64_t chain_count_all(const struct chain_count *row);

#endif
