/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <math.h>
#include <string.h>

/* Cells of which the sum is known to the ns. */
struct account_sum {
    struct {
        uint32_t domain;
        uint16_t vcpu, zero;
    } key;
    double carried; /* ns that cells before have less than is exact */
};

static bool has_share(const struct cell *cell)
{
    return cell->key.type == XENOPROF_TYPE_TIME &&
           cell->key.mode != XENOPROF_MODE_IDLE;
}

/* What rounding leaves of one cell is the next one's.  Idle time is what Xen
 * says it is, or what its samples stand for. */
static bool round_cells(struct loaded *loaded)
{
    struct table sums;
    bool done = true;

    table_init(&sums, sizeof(((struct account_sum *)0)->key),
               sizeof(struct account_sum));
    for ( size_t i = 0; done && i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct account_sum key = {
            .key = {.domain = cell->key.domain, .vcpu = cell->key.vcpu}};
        struct account_sum *sum;
        double whole;

        if ( !has_share(cell) )
        {
            cell->time = loaded->accounted ? 0 : cell->ticks;
            continue;
        }
        sum = table_put(&sums, &key.key);
        done = sum;
        if ( !sum )
            continue;
        sum->carried += cell->exact;
        whole = fmax(floor(sum->carried + 0.5), 0);
        cell->time = (uint64_t)whole;
        sum->carried -= whole;
    }
    table_free(&sums);
    return done;
}

/* What is not of pCPU time is not shared out. */
static void take_units(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->time = types_scaled(&loaded->types, cell->key.type,
                                  cell->key.pcpu, cell->ticks);
    }
}

static bool add_placeless(struct loaded *loaded, uint32_t domain, uint16_t vcpu,
                          uint16_t pcpu, unsigned int mode, uint64_t time)
{
    struct cell_key key = placeless_key(domain, pcpu, mode);
    struct cell *cell;

    if ( !time )
        return true;
    key.vcpu = vcpu;
    cell = table_put(&loaded->cells, &key);
    if ( !cell )
        return false;
    cell->time += time;
    return true;
}

/* The index of the domain that an owner is of. */
static uint32_t domain_of(const struct loaded *loaded,
                          const struct owner *owner)
{
    struct domain_key key = {.number = owner->key.domain};
    const struct loaded_domain *domain;

    memcpy(key.uuid, owner->key.uuid, sizeof(key.uuid));
    domain = table_find(&loaded->domains, &key);
    return domain ? (uint32_t)table_index(&loaded->domains, domain)
                  : DOMAIN_INDEX_OTHER;
}

static bool add_unsampled(struct loaded *loaded, const struct slots *slots,
                          const struct join_rule *of)
{
    bool done = true;

    for ( size_t i = 0; done && i < slots->owners.count; i++ )
    {
        const struct owner *owner = table_at(&slots->owners, i);
        const bool work = owner->key.domain == SLOTS_WORK;
        const uint16_t number = (uint16_t)owner->key.vcpu;

        if ( owner->key.domain == SLOTS_IDLE )
            continue;
        loaded->borrowed += owner->borrowed;
        loaded->estimated += owner->estimated;
        loaded->unsampled += owner->unsampled;
        done = add_placeless(loaded, domain_of(loaded, owner),
                             of->any_vcpu ? CELL_SEVERAL : number,
                             work && !of->any_pcpu ? number : CELL_SEVERAL,
                             MODE_UNKNOWN, owner->unsampled);
    }
    loaded->unsampled += slots->gap;
    return done && add_placeless(loaded, DOMAIN_INDEX_OTHER, CELL_SEVERAL,
                                 CELL_SEVERAL, MODE_UNKNOWN, slots->gap);
}

/* Xen's work in the idle vCPU is not idle time; what the accounts of pCPUs and
 * vCPUs differ by is, of all pCPUs alike. */
static bool add_idle(struct loaded *loaded, const struct slots *slots,
                     const struct join_rule *of)
{
    double all = 0, idle;
    bool done = true;

    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
        all +=
            (double)((struct loaded_pcpu *)table_at(&loaded->pcpus, i))->wall;
    for ( size_t i = 0; done && i < slots->owners.count; i++ )
    {
        const struct owner *owner = table_at(&slots->owners, i);
        const uint64_t number = owner->key.vcpu;
        const struct loaded_pcpu *pcpu = owner->key.domain == SLOTS_IDLE
                                             ? table_find(&loaded->pcpus,
                                                          &number)
                                             : NULL;

        if ( !pcpu || all <= 0 )
            continue;
        idle = (double)pcpu->idle - (double)owner->time +
               (double)slots->idle_more * (double)pcpu->wall / all;
        done = add_placeless(loaded, DOMAIN_INDEX_IDLE,
                             of->any_vcpu ? CELL_SEVERAL : (uint16_t)number,
                             of->any_pcpu ? CELL_SEVERAL : (uint16_t)number,
                             XENOPROF_MODE_IDLE,
                             idle > 0 ? (uint64_t)llround(idle) : 0);
    }
    return done;
}

bool account_time(struct loaded *loaded, const struct join_rule *of)
{
    const struct slots *slots = &loaded->slots;

    if ( !types_is_time(&loaded->types) )
    {
        take_units(loaded);
        return true;
    }
    loaded->accounted = slots->accounted;
    return round_cells(loaded) && add_unsampled(loaded, slots, of) &&
           add_idle(loaded, slots, of);
}
