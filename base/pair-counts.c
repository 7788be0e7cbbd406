/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How counts become more. */
#include "pair-counts.h"

#include <stdlib.h>
#include <string.h>

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

static struct pair_count *put_pair_count(const struct pair_counts *counts,
                                         const struct pair_count *count)
{
    size_t at = pair_hash(counts, count->pair) & counts->mask;

    while ( counts->slots[at].number )
        at = (at + 1) & counts->mask;
    counts->slots[at] = *count;
    return &counts->slots[at];
}

/* As in id-table.c: where they are. */
static void spread_pairs(struct pair_counts *counts, size_t before)
{
    size_t from = 0;

    while ( from < before && counts->slots[from].number )
        from++;
    for ( size_t i = 1; i <= before; i++ )
    {
        struct pair_count *slot = &counts->slots[(from + i) & (before - 1)];
        const struct pair_count taken = *slot;

        *slot = (struct pair_count){.number = 0};
        if ( taken.number )
            put_pair_count(counts, &taken);
    }
}

static bool grow_pairs(struct pair_counts *counts)
{
    size_t before = counts->slots ? counts->mask + 1 : 0;
    size_t count = before ? 2 * before : SLOTS_FIRST;
    struct pair_count *slots = reallocarray(counts->slots, count,
                                            sizeof(*slots));

    if ( !slots )
        return false;
    memset(slots + before, 0, (count - before) * sizeof(*slots));
    counts->slots = slots;
    counts->mask = count - 1;
    spread_pairs(counts, before);
    return true;
}

struct pair_count *pair_add(struct pair_counts *counts, uint64_t pair,
                            uint32_t number)
{
    const struct pair_count count = {pair, number + 1, 0};

    /* Up to three of four are taken. */
    if ( (!counts->slots || 4 * counts->used >= 3 * counts->mask) &&
         !grow_pairs(counts) )
        return NULL;
    counts->used++;
    return put_pair_count(counts, &count);
}
