/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <string.h>

#define LOSS_UNIT 65536u /* a ring that lost no sample */
#define LOSS_MOST ((uint64_t)LOSS_UNIT << 16)

/* What became of the samples of one vCPU, or of one pCPU's ring. */
struct loss {
    struct {
        uint8_t uuid[16];
        uint16_t vcpu; /* or pCPU */
        uint16_t kind; /* enum xenoprof_ring_kind */
    } key;
    uint64_t read;
    uint64_t lost;
};

static void add_loss(struct loss *loss, const struct loaded_ring *ring)
{
    loss->read += ring->read;
    loss->lost += ring->lost_daemon;
    for ( unsigned int i = 0; i < XENOPROF_LOST_SLOTS; i++ )
        loss->lost += ring->facts.lost[i];
}

static bool lost_any(const struct loaded *loaded)
{
    struct loss sum = {.lost = 0};

    for ( size_t i = 0; i < loaded->rings.count; i++ )
        add_loss(&sum, table_at(&loaded->rings, i));
    return sum.lost;
}

/* A vCPU may have had several rings, one after the other.  The table is empty
 * if none lost a sample. */
static bool find_losses(struct table *losses, const struct loaded *loaded)
{
    table_init(losses, sizeof(((struct loss *)0)->key), sizeof(struct loss));
    if ( !lost_any(loaded) )
        return true;
    for ( size_t i = 0; i < loaded->rings.count; i++ )
    {
        const struct loaded_ring *ring = table_at(&loaded->rings, i);
        struct loss key, *loss;

        memset(&key, 0, sizeof(key));
        key.key.vcpu = ring->facts.vcpu;
        key.key.kind = ring->facts.kind;
        if ( ring->facts.kind == XENOPROF_RING_VCPU )
            memcpy(key.key.uuid, ring->facts.uuid, sizeof(key.key.uuid));
        loss = table_put(losses, &key);
        if ( !loss )
            return false;
        add_loss(loss, ring);
    }
    return true;
}

/* How many samples a read one stands for, its ring's lost ones shared out among
 * those that were read; in LOSS_UNITs. */
static uint64_t stands_for(const struct table *losses,
                           const struct loaded *loaded, const struct cell *cell)
{
    bool vcpu = cell->key.domain > DOMAIN_INDEX_IDLE;
    const struct loss *loss;
    struct loss key;
    double factor;

    if ( !losses->count )
        return LOSS_UNIT;
    memset(&key, 0, sizeof(key));
    key.key.vcpu = vcpu ? cell->key.vcpu : cell->key.pcpu;
    key.key.kind = vcpu ? XENOPROF_RING_VCPU : XENOPROF_RING_PCPU;
    if ( vcpu )
        memcpy(key.key.uuid, loaded_domain(loaded, cell->key.domain)->key.uuid,
               sizeof(key.key.uuid));
    loss = table_find(losses, &key);
    if ( !loss || !loss->read )
        return LOSS_UNIT;
    factor = LOSS_UNIT * (1 + (double)loss->lost / (double)loss->read);
    return factor < (double)LOSS_MOST ? (uint64_t)factor : LOSS_MOST;
}

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

/* The ticks of a cell, with those of samples that were lost; at most as many as
 * a sum of them has room for. */
static uint64_t ticks_made(const struct table *losses,
                           const struct loaded *loaded, const struct cell *cell)
{
    unsigned __int128 ticks = (unsigned __int128)cell->ticks *
                              stands_for(losses, loaded, cell) / LOSS_UNIT;

    return ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

static void sum_ticks(struct loaded *loaded, const struct table *losses)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct share *share = cell_share(loaded, cell);

        if ( share )
            share->ticks += ticks_made(losses, loaded, cell);
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
    pcpu->xen.time = pcpu->xen.ticks < pcpu->idle ? (uint64_t)pcpu->xen.ticks
                                                  : pcpu->idle;
    pcpu->xen.left = pcpu->xen.time;
    if ( pcpu->wall )
        loaded->accounted = true;
}

static void share_out(struct loaded *loaded, const struct table *losses)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct share *share = cell_share(loaded, cell);
        uint64_t ticks;

        if ( !cell_pcpu(loaded, cell) )
            cell->time = cell->ticks;
        if ( !share || !share->ticks )
            continue;
        ticks = ticks_made(losses, loaded, cell);
        cell->time = (uint64_t)((unsigned __int128)share->time * ticks /
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

static void share_time(struct loaded *loaded, const struct table *losses)
{
    sum_ticks(loaded, losses);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
        split_time(loaded, table_at(&loaded->pcpus, i));
    share_out(loaded, losses);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        give_rest(&pcpu->work);
        give_rest(&pcpu->xen);
    }
}

bool account_time(struct loaded *loaded)
{
    struct table losses;
    bool done = find_losses(&losses, loaded);

    if ( done )
        share_time(loaded, &losses);
    table_free(&losses);
    if ( !done )
        return false;
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
