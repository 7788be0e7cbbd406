/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/time/pcpu-work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells of which the sum is known to the ns. */
struct account_sum {
    struct {
        uint32_t domain;
        uint16_t vcpu, zero;
    } key;
    double carried; /* ns that cells before have less than is exact */
};

/* What is not of pCPU time is not shared out. */
static void take_units(const struct loaded *loaded, struct cell *cell)
{
    cell->time = types_scaled(&loaded->types, cell->key.type, cell->key.pcpu,
                              cell->ticks);
}

/* What rounding leaves of one cell is the next one's.  Idle time is what Xen
 * says it is, or what its samples stand for. */
static void round_cells(struct loaded *loaded)
{
    struct account_sum *sum = NULL; /* most cells are of the one before */
    struct table sums;

    table_init(&sums, sizeof(((struct account_sum *)0)->key),
               sizeof(struct account_sum));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct account_sum key = {
            .key = {.domain = cell->key.domain, .vcpu = cell->key.vcpu}};
        double whole;

        if ( cell->key.type != XENOPROF_TYPE_TIME )
            take_units(loaded, cell);
        else if ( !cell_has_share(&cell->key) )
            cell->time = loaded->accounted ? 0 : cell->ticks;
        if ( !cell_has_share(&cell->key) )
            continue;
        if ( !sum || memcmp(&sum->key, &key.key, sizeof(key.key)) )
            sum = must(table_put(&sums, &key.key));
        sum->carried += cell->exact;
        whole = fmax(floor(sum->carried + 0.5), 0);
        cell->time = (uint64_t)whole;
        sum->carried -= whole;
    }
    table_free(&sums);
}

static void add_placeless(struct loaded *loaded, const struct cell_key *key,
                          double time)
{
    struct cell *cell;

    if ( time < 1 )
        return;
    cell = must(table_put(&loaded->cells, key));
    cell->time += (uint64_t)llround(time);
}

uint32_t account_domain(const struct loaded *loaded, const struct owner_key *of)
{
    struct domain_key key = {.number = of->domain};
    const struct loaded_domain *domain;

    memcpy(key.uuid, of->uuid, sizeof(key.uuid));
    domain = table_find(&loaded->domains, &key);
    return domain ? (uint32_t)table_index(&loaded->domains, domain)
                  : DOMAIN_INDEX_OTHER;
}

/* What cells have on each pCPU, by index; or on all, at 0. */
static void sum_times(const struct loaded *loaded, bool any_pcpu, double *ret)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const uint64_t number = cell->key.pcpu;
        const struct loaded_pcpu *pcpu = any_pcpu ? NULL
                                                  : table_find(&loaded->pcpus,
                                                               &number);

        if ( cell->key.type != XENOPROF_TYPE_TIME )
            continue;
        if ( any_pcpu )
            ret[0] += (double)cell->time;
        else if ( pcpu )
            ret[table_index(&loaded->pcpus, pcpu)] += (double)cell->time;
    }
}

/* What each pCPU worked that cells do not have yet; if that is nothing, as long
 * as it was there. */
static double *find_rooms(const struct loaded *loaded)
{
    double *rooms = must(calloc(loaded->pcpus.count + 1, sizeof(*rooms)));

    sum_times(loaded, false, rooms);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        rooms[i] = fmax((double)pcpu->wall - (double)pcpu->idle - rooms[i], 0);
    }
    return rooms;
}

/* Of time without a sample it is not known on which pCPU it was: where there is
 * room. */
static void add_cell_to_pcpus(struct loaded *loaded, struct cell_key key,
                              double *rooms, uint64_t time)
{
    double left = (double)time, room = 0;

    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
        room += rooms[i];
    if ( room <= 0 )
        for ( size_t i = 0; i < loaded->pcpus.count; i++ )
        {
            const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

            rooms[i] = (double)pcpu->wall;
            room += rooms[i];
        }
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);
        double part = floor((double)time * rooms[i] / room);

        part = i + 1 < loaded->pcpus.count ? fmin(part, left) : left;
        key.pcpu = (uint16_t)pcpu->key.number;
        rooms[i] = fmax(rooms[i] - part, 0);
        left -= part;
        add_placeless(loaded, &key, part);
    }
}

/* rooms: NULL if pCPUs are not told apart. */
static void add_unsampled(struct loaded *loaded, const struct join_rule *of,
                          double *rooms, const struct owner *owner,
                          uint64_t time)
{
    const bool vcpu = owner && owner->key.domain != SLOTS_WORK;
    struct cell_key key = placeless_key(
        owner ? account_domain(loaded, &owner->key) : DOMAIN_INDEX_OTHER,
        CELL_SEVERAL, MODE_UNKNOWN);

    loaded->unsampled += time;
    if ( vcpu && !of->any_vcpu )
        key.vcpu = (uint16_t)owner->key.vcpu;
    if ( !rooms )
    {
        add_placeless(loaded, &key, (double)time);
        return;
    }
    if ( !owner || vcpu )
    {
        add_cell_to_pcpus(loaded, key, rooms, time);
        return;
    }
    key.pcpu = (uint16_t)owner->key.vcpu;
    add_placeless(loaded, &key, (double)time);
}

static void add_all_unsampled(struct loaded *loaded, const struct join_rule *of)
{
    const struct slots *slots = &loaded->slots;
    double *rooms SCOPE_FREE = of->any_pcpu ? NULL : find_rooms(loaded);

    for ( size_t i = 0; i < slots->owners.count; i++ )
    {
        const struct owner *owner = table_at(&slots->owners, i);

        if ( owner->key.domain == SLOTS_IDLE )
            continue;
        loaded->borrowed += owner->borrowed;
        loaded->estimated += owner->estimated;
        add_unsampled(loaded, of, rooms, owner, owner->unsampled);
    }
    add_unsampled(loaded, of, rooms, NULL, slots->gap);
}

/* Adds idle time to one pCPU, or to all if it is NULL. */
static void put_idle(struct loaded *loaded, const struct join_rule *of,
                     const struct loaded_pcpu *pcpu, double time)
{
    const uint16_t number = pcpu ? (uint16_t)pcpu->key.number : CELL_SEVERAL;
    struct cell_key key = placeless_key(DOMAIN_INDEX_IDLE, number,
                                        XENOPROF_MODE_IDLE);

    if ( of->any_vcpu )
        key.vcpu = CELL_SEVERAL;
    add_placeless(loaded, &key, time);
}

/* What is left of the time of all pCPUs is idle; of each it is the same part of
 * what is left of its own. */
static void add_idle_cells(struct loaded *loaded, const struct join_rule *of)
{
    double *left SCOPE_FREE = must(
        calloc(loaded->pcpus.count + 1, sizeof(*left)));
    double all = 0, apart = 0;

    sum_times(loaded, of->any_pcpu, left);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        left[i] = (double)pcpu->wall - left[i];
        all += left[i];
        apart += fmax(left[i], 0);
    }
    if ( of->any_pcpu )
    {
        put_idle(loaded, of, NULL, all);
        return;
    }
    for ( size_t i = 0; i < loaded->pcpus.count && all > 0; i++ )
        put_idle(loaded, of, table_at(&loaded->pcpus, i),
                 fmax(left[i], 0) * all / apart);
}

void account_time(struct loaded *loaded, const struct join_rule *of)
{
    const struct slots *slots = &loaded->slots;

    if ( !types_is_time(&loaded->types) )
    {
        for ( size_t i = 0; i < loaded->cells.count; i++ )
            take_units(loaded, table_at(&loaded->cells, i));
        return;
    }
    loaded->accounted = slots->accounted;
    if ( !of->any_pcpu && !slots->by_pcpu )
        pcpu_work_fit(loaded);
    round_cells(loaded);
    add_all_unsampled(loaded, of);
    add_idle_cells(loaded, of);
}
