/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pruned-domains.h"

#include "base/must.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

#define FROM (1u << 16) /* nodes: two megabytes, and some tenths of a second */

/* Of the limit: who is just below it now may be above it at the end. */
#define MARGIN 0.9

void pruned_domains_init(struct pruned_domains *domains,
                         const struct pruned_domains_wanted *wanted)
{
    *domains = (struct pruned_domains){.wanted = wanted};
    if ( !wanted->rules )
        return;
    domains->now = must(calloc(PRUNED_DOMAIN_NUMBERS, sizeof(*domains->now)));
}

void pruned_domains_free(struct pruned_domains *domains)
{
    free(domains->now);
    vector_free(&domains->seen);
}

void pruned_domains_saw(struct pruned_domains *domains, uint32_t domain,
                        uint64_t count)
{
    while ( domains->seen.count <= domain )
        must(vector_add(&domains->seen));
    domains->seen.items[domain] += count;
    domains->samples += count;
}

/* Which part of pCPUs' time samples stand for: all in which they worked. */
static double busy(const struct loaded *loaded)
{
    uint64_t wall = 0, work = 0;

    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        wall += pcpu->wall;
        work += pcpu->wall > pcpu->idle ? pcpu->wall - pcpu->idle : 0;
    }
    return wall && work ? (double)work / (double)wall : 1;
}

static bool is_shown(const struct shown_domains *shown,
                     const struct domain_key *key)
{
    for ( size_t i = 0; i < shown->count; i++ )
        if ( !memcmp(&shown->items[i], key, sizeof(*key)) )
            return true;
    return false;
}

/* Whether a domain is below the limit, as far as is known.  Of who is no domain
 * no stack is shown. */
static bool is_small_domain(const struct pruned_domains *domains,
                            const struct loaded *loaded, uint32_t index,
                            double most)
{
    if ( index <= DOMAIN_INDEX_IDLE )
        return true;
    if ( domains->wanted->shown )
        return !is_shown(domains->wanted->shown,
                         &loaded_domain(loaded, index)->key);
    return index >= domains->seen.count ||
           (double)domains->seen.items[index] < most;
}

void pruned_domains_begin(struct pruned_domains *domains,
                          const struct loaded *loaded, const uint32_t *numbers,
                          uint32_t file)
{
    const struct pruned_domains_wanted *wanted = domains->wanted;
    const struct shown_domains *shown = wanted->shown;
    double most;

    if ( !wanted->rules || domains->file == file + 1 )
        return;
    domains->file = file + 1;
    if ( !shown && loaded->nodes.count < (wanted->from ? wanted->from : FROM) )
        return;
    most = wanted->limit / 100 * MARGIN * (double)domains->samples /
           busy(loaded);
    domains->any = true;
    domains->all = true;
    for ( size_t i = 0; i < PRUNED_DOMAIN_NUMBERS; i++ )
    {
        domains->now[i] = !numbers[i] || is_small_domain(domains, loaded,
                                                         numbers[i] - 1, most);
        domains->all &= domains->now[i];
    }
    /* Also if they get their numbers in the middle of a file. */
    for ( size_t i = 0; shown && i < shown->count; i++ )
    {
        if ( shown->items[i].other )
            continue;
        domains->now[shown->items[i].number % PRUNED_DOMAIN_NUMBERS] = false;
        domains->all = false;
    }
}

void pruned_domains_check(const struct loaded *loaded, double limit,
                          struct shown_domains *ret, bool *again)
{
    uint64_t *times = must(calloc(loaded->domains.count, sizeof(*times))),
             all = 0;

    *again = false;
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        times[cell->key.domain] += cell->time;
        all += cell->time;
    }
    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
    {
        const struct loaded_domain *domain = loaded_domain(loaded, i);
        struct domain_key *key;

        /* As tree_percent(), to the last bit. */
        if ( !all || percent_of(times[i], all) < limit )
            continue;
        key = must(vector_add(ret));
        *key = domain->key;
        *again |= domain->pruned;
    }
    free(times);
}
