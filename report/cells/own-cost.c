/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own-cost.h"

#include <string.h>

static bool begins_with(const char *comm, const char *word)
{
    return !strncmp(comm, word, strlen(word));
}

static bool is_agent(const char *comm)
{
    return begins_with(comm, "opagent");
}

bool comm_is_own(const char *comm)
{
    return is_agent(comm) || begins_with(comm, "xenoprof") ||
           begins_with(comm, "xenopctl") || begins_with(comm, "xenopreport");
}

static bool is_dom0(const struct loaded *loaded, uint32_t domain)
{
    return domain > DOMAIN_INDEX_IDLE &&
           loaded_domain(loaded, domain)->key.number == 0;
}

void own_cost_measure(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const char *comm = names_text(&loaded->names, cell_comm(cell));
        struct loaded_domain *domain;

        if ( !comm || cell->key.type != XENOPROF_TYPE_TIME ||
             !types_is_time(&loaded->types) )
            continue;
        domain = loaded_domain(loaded, cell->key.domain);
        /* In a guest only its agent runs. */
        if ( is_agent(comm) )
            domain->agent += cell->time;
        if ( is_agent(comm) ||
             (is_dom0(loaded, cell->key.domain) && comm_is_own(comm)) )
            domain->own += cell->time;
    }
}

uint64_t own_cost_of(const struct loaded *loaded, uint32_t domain)
{
    uint64_t own = loaded_domain(loaded, domain)->own, counted;

    if ( !is_dom0(loaded, domain) )
        return own;
    counted = cost_on_pcpus(loaded, cost_of_dom0(&loaded->cost));
    return own > counted ? own : counted;
}

uint64_t own_cost_in_dom0(const struct loaded *loaded)
{
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        if ( is_dom0(loaded, i) )
            return own_cost_of(loaded, i);
    return cost_on_pcpus(loaded, cost_of_dom0(&loaded->cost));
}

uint64_t own_cost_in_guests(const struct loaded *loaded)
{
    uint64_t sum = 0;

    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        if ( !is_dom0(loaded, i) )
            sum += own_cost_of(loaded, i);
    return sum;
}
