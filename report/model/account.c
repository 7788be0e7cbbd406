/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <stdlib.h>
#include <string.h>

#define PCPU_NUMBERS 65536u
#define CELLS_AHEAD  16u

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

/* What is looked up of each cell. */
struct known {
    struct table losses; /* struct loss; empty if none lost a sample */
    uint32_t *pcpus;     /* find_pcpus() */
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
                           const struct loaded *loaded,
                           const struct ran_at *ran)
{
    bool vcpu = ran->domain > DOMAIN_INDEX_IDLE;
    const struct loss *loss;
    struct loss key;
    double factor;

    if ( !losses->count )
        return LOSS_UNIT;
    memset(&key, 0, sizeof(key));
    key.key.vcpu = vcpu ? ran->vcpu : ran->pcpu;
    key.key.kind = vcpu ? XENOPROF_RING_VCPU : XENOPROF_RING_PCPU;
    if ( vcpu )
        memcpy(key.key.uuid, loaded_domain(loaded, ran->domain)->key.uuid,
               sizeof(key.key.uuid));
    loss = table_find(losses, &key);
    if ( !loss || !loss->read )
        return LOSS_UNIT;
    factor = LOSS_UNIT * (1 + (double)loss->lost / (double)loss->read);
    return factor < (double)LOSS_MOST ? (uint64_t)factor : LOSS_MOST;
}

/* By number: index + 1 into loaded.pcpus of those whose account is known; or 0.
 * Returns NULL if there is no memory. */
static uint32_t *find_pcpus(const struct loaded *loaded)
{
    uint32_t *at = calloc(PCPU_NUMBERS, sizeof(*at));

    for ( size_t i = 0; at && i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        if ( pcpu->wall && pcpu->key.number < PCPU_NUMBERS )
            at[pcpu->key.number] = (uint32_t)i + 1;
    }
    return at;
}

/* A pCPU if Xen's account of it is known, else NULL. */
static struct loaded_pcpu *known_pcpu(const struct loaded *loaded,
                                      const struct known *known, uint16_t pcpu)
{
    uint32_t at = known->pcpus[pcpu];

    return at ? table_at(&loaded->pcpus, at - 1) : NULL;
}

/* The share that what ran there has part in, NULL if none. */
static struct share *find_share(const struct loaded *loaded,
                                const struct known *known,
                                const struct ran_at *ran)
{
    struct loaded_pcpu *pcpu = known_pcpu(loaded, known, ran->pcpu);

    if ( !pcpu )
        return NULL;
    return ran->domain == DOMAIN_INDEX_IDLE ? &pcpu->xen : &pcpu->work;
}

static struct ran_at cell_ran(const struct cell *cell)
{
    return (struct ran_at){cell->key.domain, cell->key.vcpu, cell->key.pcpu};
}

/* The same of a cell. */
static struct share *cell_share(const struct loaded *loaded,
                                const struct known *known,
                                const struct cell *cell)
{
    const struct ran_at ran = cell_ran(cell);

    if ( cell->key.mode == XENOPROF_MODE_IDLE ||
         cell->key.type != XENOPROF_TYPE_TIME || cell->settled )
        return NULL;
    return find_share(loaded, known, &ran);
}

/* Ticks with those of samples that were lost; at most as many as a sum of them
 * has room for. */
static uint64_t ticks_made(const struct table *losses,
                           const struct loaded *loaded,
                           const struct ran_at *ran, uint64_t ticks)
{
    unsigned __int128 made;

    if ( !losses->count )
        return ticks;
    made = (unsigned __int128)ticks * stands_for(losses, loaded, ran) /
           LOSS_UNIT;
    return made < UINT64_MAX ? (uint64_t)made : UINT64_MAX;
}

static uint64_t cell_ticks(const struct loaded *loaded,
                           const struct known *known, const struct cell *cell)
{
    const struct ran_at ran = cell_ran(cell);

    return ticks_made(&known->losses, loaded, &ran, cell->ticks);
}

static void sum_ticks(struct loaded *loaded, const struct known *known)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct share *share = cell_share(loaded, known, cell);

        if ( share )
            share->ticks += cell_ticks(loaded, known, cell);
    }
}

/* A sample's are from here on what was made of them. */
static void sum_unsettled(struct loaded *loaded, const struct known *known)
{
    for ( size_t i = 0; i < loaded->unsettled.count; i++ )
    {
        struct unsettled *sample = &loaded->unsettled.items[i];
        struct share *share = find_share(loaded, known, &sample->ran);

        if ( !share )
            continue;
        sample->ticks = ticks_made(&known->losses, loaded, &sample->ran,
                                   sample->ticks);
        share->ticks += sample->ticks;
    }
}

/* Returns how much of an amount is left: what was given of it was known before
 * all of it was. */
static uint64_t rest_of(uint64_t amount, uint64_t given)
{
    return amount > given ? amount - given : 0;
}

/* Returns the time of the idle vCPU that is not shared out yet. */
static uint64_t idle_left(const struct loaded_pcpu *pcpu)
{
    /* Xen reads its clock and its account one after the other. */
    uint64_t idle = pcpu->idle < pcpu->wall ? pcpu->idle : pcpu->wall;

    return rest_of(idle, pcpu->xen_given);
}

static void set_time(struct share *share, uint64_t time)
{
    share->time = share->left = time;
    share->asked = share->had = 0;
}

static void split_time(struct loaded_pcpu *pcpu)
{
    uint64_t idle = idle_left(pcpu);

    set_time(&pcpu->work,
             pcpu->work.ticks
                 ? rest_of(rest_of(pcpu->wall, pcpu->idle), pcpu->work_given)
                 : 0);
    set_time(&pcpu->xen,
             pcpu->xen.ticks < idle ? (uint64_t)pcpu->xen.ticks : idle);
}

/* What no sample fell into. */
static void note_unsampled(struct loaded *loaded, struct loaded_pcpu *pcpu)
{
    if ( !pcpu->work.ticks )
        pcpu->unsampled = rest_of(rest_of(pcpu->wall, pcpu->idle),
                                  pcpu->work_given);
    loaded->unsampled += pcpu->unsampled;
    if ( pcpu->wall )
        loaded->accounted = true;
}

/* Returns what so many ticks have of a share; the cell is one of those that
 * do.  Most samples stand for as many as the one before: to divide takes
 * longer than all else here. */
static uint64_t take_share(struct share *share, uint64_t ticks,
                           struct cell *cell)
{
    if ( ticks != share->asked )
    {
        share->asked = ticks;
        share->had = (uint64_t)((unsigned __int128)share->time * ticks /
                                share->ticks);
    }
    share->left -= share->had;
    if ( !share->largest || cell->ticks > share->largest->ticks )
        share->largest = cell;
    return share->had;
}

static void share_out(struct loaded *loaded, const struct known *known)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        struct share *share = cell_share(loaded, known, cell);

        if ( cell->settled )
            continue;
        if ( !known_pcpu(loaded, known, cell->key.pcpu) )
            cell->time = cell->ticks;
        if ( share && share->ticks )
            cell->time = take_share(share, cell_ticks(loaded, known, cell),
                                    cell);
    }
}

/* Asks for the memory of a cell's time, which is elsewhere for each sample. */
static void expect_time(const struct loaded *loaded, uint32_t cell)
{
    const struct cell *at = table_at(&loaded->cells, cell);

    memory_expect(&at->time);
}

static void share_out_unsettled(struct loaded *loaded,
                                const struct known *known)
{
    const struct unsettled *samples = loaded->unsettled.items;
    const size_t count = loaded->unsettled.count;

    for ( size_t i = 0; i < count; i++ )
    {
        const struct unsettled *sample = &samples[i];
        struct cell *cell = table_at(&loaded->cells, sample->cell);
        struct share *share = find_share(loaded, known, &sample->ran);

        if ( i + CELLS_AHEAD < count )
            expect_time(loaded, samples[i + CELLS_AHEAD].cell);
        if ( !share )
            cell->time += sample->ticks;
        else if ( share->ticks )
            cell->time += take_share(share, sample->ticks, cell);
    }
    loaded->unsettled.count = 0;
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

/* cells: those that are not settled get their time, too. */
static void share_time(struct loaded *loaded, const struct known *known,
                       bool cells)
{
    if ( cells )
        sum_ticks(loaded, known);
    sum_unsettled(loaded, known);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
        split_time(table_at(&loaded->pcpus, i));
    if ( cells )
        share_out(loaded, known);
    share_out_unsettled(loaded, known);
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        give_rest(&pcpu->work);
        give_rest(&pcpu->xen);
    }
}

/* Samples and cells of time get theirs.  Returns false if there is no
 * memory. */
static bool share_known(struct loaded *loaded, struct known *known, bool cells)
{
    known->pcpus = find_pcpus(loaded);
    if ( !find_losses(&known->losses, loaded) || !known->pcpus )
        return false;
    share_time(loaded, known, cells);
    return true;
}

static void known_free(struct known *known)
{
    table_free(&known->losses);
    free(known->pcpus);
}

/* What was shared out is not to be shared out again. */
static void close_shares(struct loaded_pcpu *pcpu)
{
    pcpu->work_given += pcpu->work.time;
    pcpu->xen_given += pcpu->xen.time;
    pcpu->work = pcpu->xen = (struct share){.ticks = 0};
}

static void mark_settled(struct loaded *loaded, const struct known *known)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->settled |= cell->key.call && cell_share(loaded, known, cell);
    }
}

bool account_settle(struct loaded *loaded)
{
    struct known known = {.pcpus = NULL};
    /* Where there are cells of several pCPUs they are most of them, and to look
     * at all takes longer than to look at their samples. */
    const bool cells = !loaded->several;
    bool done = share_known(loaded, &known, cells);

    if ( done && cells )
        mark_settled(loaded, &known);
    known_free(&known);
    for ( size_t i = 0; done && i < loaded->pcpus.count; i++ )
        close_shares(table_at(&loaded->pcpus, i));
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

bool account_time(struct loaded *loaded)
{
    struct known known = {.pcpus = NULL};
    bool done;

    if ( !types_is_time(&loaded->types) )
    {
        take_units(loaded);
        return true;
    }
    done = share_known(loaded, &known, true);
    known_free(&known);
    for ( size_t i = 0; done && i < loaded->pcpus.count; i++ )
        note_unsampled(loaded, table_at(&loaded->pcpus, i));
    /* Only now: new cells may move the others. */
    for ( size_t i = 0; done && i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        done = add_placeless(loaded, DOMAIN_INDEX_IDLE, pcpu,
                             XENOPROF_MODE_IDLE,
                             idle_left(pcpu) - pcpu->xen.time) &&
               add_placeless(loaded, DOMAIN_INDEX_OTHER, pcpu,
                             XENOPROF_MODE_XEN, pcpu->unsampled);
    }
    return done;
}
