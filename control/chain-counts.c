/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chain-counts.h"

#include <stdlib.h>

struct chain_count *chain_counts_row(struct chain_counts *counts,
                                     uint16_t domain, uint8_t mode)
{
    struct chain_count *grown;

    for ( size_t i = 0; i < counts->count; i++ )
        if ( counts->rows[i].domain == domain && counts->rows[i].mode == mode )
            return &counts->rows[i];
    grown = reallocarray(counts->rows, counts->count + 1, sizeof(*grown));
    if ( !grown )
        return NULL;
    counts->rows = grown;
    grown += counts->count++;
    *grown = (struct chain_count){.domain = domain, .mode = mode};
    return grown;
}

void chain_counts_add(struct chain_counts *counts,
                      const struct xenoprof_stored *sample)
{
    enum xenoprof_ended ended = xenoprof_stored_ended(sample);
    struct chain_count *row;

    if ( (sample->mode != XENOPROF_MODE_XEN &&
          sample->mode != XENOPROF_MODE_KERNEL) ||
         sample->domain == DOMAIN_ID_IDLE ||
         sample->marks & XENOPROF_MARK_FOREIGN )
        return;
    row = chain_counts_row(counts, sample->domain, sample->mode);
    if ( !row )
        return;
    row->ended[ended]++;
    if ( sample->stack || ended != XENOPROF_ENDED_ROOT )
        counts->walked[sample->mode] = true;
}

void chain_counts_free(struct chain_counts *counts)
{
    free(counts->rows);
    *counts = (struct chain_counts){0};
}

uint64_t chain_count_all(const struct chain_count *row)
{
    uint64_t all = 0;

    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        all += row->ended[i];
    return all;
}
