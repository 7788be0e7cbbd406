/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

/* The pCPU of a cell if Xen's account of it is known, else NULL. */
static struct loaded_pcpu *cell_pcpu(const struct loaded *loaded,
                                     const struct cell *cell)
{
    uint64_t number = cell->key.pcpu;
    struct loaded_pcpu *pcpu = table_find(&loaded->pcpus, &number);

    return pcpu && pcpu->wall ? pcpu : NULL;
}

/* The share that a cell has part in, NULL if none. */
static struct share *cell_share(const struct loaded *loaded,
                                const struct cell *cell)
{
    struct loaded_pcpu *pcpu = cell_pcpu(loaded, cell);

    if ( !pcpu || cell->key.mode == XENOPROF_MODE_IDLE )
        return NULL;
    return cell->key.domain == DOMAIN_INDEX_IDLE ? &pcpu->xen : &pcpu->work;
}

static void sum_ticks(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct share *share = cell_share(loaded, cell);

        if ( share )
            share->ticks += cell->ticks;
    }
}

static void split_time(struct loaded *loaded, struct loaded_pcpu *pcpu)
{
    uint64_t busy;

    /* Xen reads its clock and its account one after the other. */
    if ( pcpu->idle > pcpu->wall )
        pcpu->idle = pcpu->wall;
    busy = pcpu->wall - pcpu->idle;
    if ( pcpu->work.ticks )
        pcpu->work.time = pcpu->work.left = busy;
    else
    {
        pcpu->unsampled = busy;
        loaded->unsampled += busy;
    }
    pcpu->xen.time = pcpu->xen.ticks < pcpu->idle ? pcpu->xen.ticks
                                                  : pcpu->idle;
    pcpu->xen.left = pcpu->xen.time;
    if ( pcpu->wall )
        loaded->accounted = true;
}

static void share_out(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct share *share = cell_share(loaded, cell);

        if ( !cell_pcpu(loaded, cell) )
            cell->time = cell->ticks;
        if ( !share || !share->ticks )
            continue;
        cell->time = (uint64_t)((unsigned __int128)share->time * cell->ticks /
                                share->ticks);
        share->left -= cell->time;
        if ( !share->largest || cell->ticks > share->largest->ticks )
            share->largest = cell;
    }
}

static void give_rest(struct share *share)
{
    if ( share->largest )
        share->largest->time += share->left;
}

static bool add_placeless(struct loaded *loaded, uint32_t domain,
                          const struct loaded_pcpu *pcpu,
                          enum xenoprof_mode mode, uint64_t time)
{
    struct cell *cell;

    if ( !time )
        return true;
    cell = loaded_placeless(loaded, domain, (uint16_t)pcpu->key.number, mode);
    if ( !cell )
        return false;
    cell->time += time;
    return true;
}

bool account_time(struct loaded *loaded)
{
    sum_ticks(loaded);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
        split_time(loaded, table_at(&loaded->pcpus, i));
    share_out(loaded);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        give_rest(&pcpu->work);
        give_rest(&pcpu->xen);
    }
    /* Only now: new cells may move the others. */
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        if ( !add_placeless(loaded, DOMAIN_INDEX_IDLE, pcpu, XENOPROF_MODE_IDLE,
                            pcpu->idle - pcpu->xen.time) ||
             !add_placeless(loaded, DOMAIN_INDEX_OTHER, pcpu, XENOPROF_MODE_XEN,
                            pcpu->unsampled) )
            return false;
    }
    return true;
}
