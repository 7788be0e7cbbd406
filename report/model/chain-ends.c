/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chain-ends.h"

#define CHAIN_OF_PROCESSES 2 /* in chain_modes[] */

const enum xenoprof_mode chain_modes[CHAIN_MODES] = {
    XENOPROF_MODE_XEN,
    XENOPROF_MODE_KERNEL,
    [CHAIN_OF_PROCESSES] = XENOPROF_MODE_USER,
};

/* It has callers, or a reason why not. */
static bool has_chain(const struct cell *cell)
{
    return cell->key.called || cell->key.ended;
}

void chain_ends_recorded(const struct loaded *loaded, bool ret[CHAIN_MODES])
{
    for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
        ret[m] = false;
    for ( size_t i = 0; loaded->stacked && i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
            ret[m] |= cell->key.mode == chain_modes[m] && has_chain(cell);
        ret[CHAIN_OF_PROCESSES] |= cell->key.below;
    }
}

static void count_end(struct loaded_domain *domain, unsigned int mode,
                      unsigned int ended, uint64_t samples)
{
    domain->ends[mode].samples += samples;
    domain->ends[mode].ended[ended] += samples;
}

void chain_ends_count(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        struct loaded_domain *domain = table_at(&loaded->domains,
                                                cell->key.domain);

        for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
        {
            if ( cell->key.mode != chain_modes[m] ||
                 (cell->key.mode == XENOPROF_MODE_USER && !has_chain(cell)) )
                continue;
            count_end(domain, m,
                      cell->key.below ? XENOPROF_ENDED_ROOT : cell->key.ended,
                      cell->samples);
        }
        if ( cell->key.below )
            count_end(domain, CHAIN_OF_PROCESSES, cell->key.ended,
                      cell->samples);
    }
}

struct chain_sums chain_ends_sum(const struct loaded *loaded)
{
    struct chain_sums sums = {0, 0};
    bool recorded[CHAIN_MODES];

    chain_ends_recorded(loaded, recorded);
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
        {
            const struct chain_ends *ends = &loaded_domain(loaded, i)->ends[m];

            sums.whole += recorded[m] ? ends->ended[XENOPROF_ENDED_ROOT] : 0;
            sums.all += recorded[m] ? ends->samples : 0;
        }
    return sums;
}

const char *chain_ends_remedy(const struct loaded_domain *domain,
                              const struct chain_ends *ends,
                              enum xenoprof_ended ended, bool *ran)
{
    const char *remedy = xenoprof_ended_remedy(ended, ends->ended[ended],
                                               ends->samples);

    *ran = remedy && ended == XENOPROF_ENDED_AGENT && domain->agent;
    return *ran ? "opagent ran there: xenopctl --status says what it answered"
                : remedy;
}

unsigned int chain_ends_sort(const struct chain_ends *ends,
                             enum xenoprof_ended order[XENOPROF_ENDS])
{
    unsigned int count = 0;

    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
    {
        unsigned int at = count;

        if ( !ends->ended[i] )
            continue;
        while ( at && order[at - 1] != XENOPROF_ENDED_ROOT &&
                ends->ended[order[at - 1]] < ends->ended[i] )
        {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (enum xenoprof_ended)i;
        count++;
    }
    return count;
}
