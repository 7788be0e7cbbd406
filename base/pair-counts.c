/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How counts become more. */
#include "pair-counts.h"

#include <stdlib.h>

#define SLOTS_FIRST 1024u

void pair_counts_init(struct pair_counts *counts)
{
    struct id_table seeded;

    id_table_init(&seeded);
    *counts = (struct pair_counts){.seed = seeded.seed};
}

void pair_counts_free(struct pair_counts *counts)
{
    free(counts->slots);
    counts->slots = NULL;
    counts->used = 0;
}

static struct pair_count *put(const struct pair_counts *counts,
                              const struct pair_count *count)
{
    size_t at = pair_hash(counts, count->pair) & counts->mask;

    while ( counts->slots[at].number )
        at = (at + 1) & counts->mask;
    counts->slots[at] = *count;
    return &counts->slots[at];
}

static bool grow(struct pair_counts *counts)
{
    struct pair_counts larger = {.mask = counts->slots ? 2 * counts->mask + 1
                                                       : SLOTS_FIRST - 1,
                                 .used = counts->used,
                                 .seed = counts->seed};

    larger.slots = calloc(larger.mask + 1, sizeof(*larger.slots));
    if ( !larger.slots )
        return false;
    for ( size_t i = 0; counts->slots && i <= counts->mask; i++ )
        if ( counts->slots[i].number )
            put(&larger, &counts->slots[i]);
    free(counts->slots);
    *counts = larger;
    return true;
}

struct pair_count *pair_add(struct pair_counts *counts, uint64_t pair,
                            uint32_t number)
{
    const struct pair_count count = {pair, number + 1, 0};

    /* Up to three of four are taken. */
    if ( (!counts->slots || 4 * counts->used >= 3 * counts->mask) &&
         !grow(counts) )
        return NULL;
    counts->used++;
    return put(counts, &count);
}
