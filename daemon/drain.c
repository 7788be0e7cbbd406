/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a record, from its ring to the writer: a round visits each ring,
 * takes its records one by one, and stores each sample with the domain it is
 * of, its stack and their names.
 */
#include "base/clock.h"
#include "drain.h"
#include "sample-stack.h"

/* ns of a round in which the daemon looks for a guest's kernel. */
#define SEARCH_WORK 200000000u
/* ns after which a round ends: Xen must see that the reader lives, and clients
 * want answers.  On a busy host a sample whose stack the parser walks can take
 * some milliseconds. */
#define ROUND 250000000u
/* Samples between two readings of the clock, which on a PV dom0 is a system
 * call. */
#define CLOCK_EVERY 16u
/* ns that samples of a guest wait for its kernel to be found, at most; or until
 * their ring is half full. */
#define WAIT_MAX 30000000000ull

void drain_open(struct drain *drain, struct xenoprof_source *source,
                struct xenoprof_writer *writer)
{
    drain->source = source;
    drain->writer = writer;
    accounts_init(&drain->accounts);
    drain->chains = (struct chain_counts){0};
    drain->time = 0;
    drain->stopped = 0;
    drain->round = ROUND;
    drain->wait = WAIT_MAX;
}

void drain_free(struct drain *drain)
{
    accounts_free(&drain->accounts);
    chain_counts_free(&drain->chains);
}

/* True if samples of this ring may wait: there is time, and the ring has
 * room. */
static bool is_patient(const struct drain *drain, const struct account *account)
{
    const struct xenoprof_ring_info *info = &account->info;

    return drain->guests && !drain->hurried &&
           info->kind == XENOPROF_RING_VCPU &&
           info->producer - info->position < info->size / 2 &&
           (!account->waits_since ||
            drain->round_began - account->waits_since < drain->wait);
}

/* The guest's kernel will be known soon: samples of its rings wait, so that
 * their stacks are whole. */
static bool must_wait(const struct drain *drain, struct account *account)
{
    const struct xenoprof_ring_info *info = &account->info;

    if ( !drain->guests ||
         !guests_is_searched(drain->guests, info->domain, info->uuid) )
        account->waits_since = 0;
    else if ( !account->waits_since && info->kind == XENOPROF_RING_VCPU )
        account->waits_since = drain->round_began;
    return account->waits_since && is_patient(drain, account);
}

/* Returns the uuid of a sample's domain, or NULL if it is not known.  A vCPU's
 * ring is of one domain; in a pCPU's ring it is the domain with that number
 * now. */
static const uint8_t *uuid_of(const struct drain *drain,
                              const struct account *account,
                              const struct xenoprof_sample *sample)
{
    const struct domain_name *named;

    if ( account->info.kind == XENOPROF_RING_VCPU )
        return account->info.uuid;
    named = domain_names_find(drain->names, sample->domain, NULL);
    return named ? named->uuid : NULL;
}

/* Stores a sample: who it is of, its stack, then the sample itself.  Returns
 * XENOPROF_END if the sample must wait; nothing was stored then. */
static enum xenoprof_status store(struct drain *drain, struct account *account,
                                  const struct xenoprof_view *view)
{
    const struct xenoprof_sample *sample = view->sample;
    struct xenoprof_stored stored = {
        .time = sample->time,
        .period = sample->period,
        .marks = sample->marks,
        .domain = sample->domain,
        .vcpu = sample->vcpu,
        .pcpu = sample->pcpu,
        .mode = sample->mode,
        .weight = sample->weight,
    };
    const struct stack_sources sources = {drain->places, drain->guests,
                                          drain->below_xen,
                                          is_patient(drain, account)};
    bool own = account->info.kind == XENOPROF_RING_VCPU;
    enum xenoprof_status result;

    result = domain_names_store(drain->names, drain->writer, sample->time,
                                sample->domain,
                                own ? account->info.uuid : NULL);
    if ( !result )
        result = sample_stack_store(&sources, drain->writer, view,
                                    uuid_of(drain, account, sample),
                                    &account->last, &stored);
    if ( !result )
        result = xenoprof_writer_sample(drain->writer, &stored);
    if ( !result )
        chain_counts_add(&drain->chains, &stored);
    return result;
}

/* No writer can store other samples: they mean nothing. */
static bool is_sane(const struct xenoprof_sample *sample)
{
    return sample->mode < XENOPROF_MODES && sample->weight > 0;
}

/* Takes one record.  Returns XENOPROF_END if its sample must wait. */
static enum xenoprof_status take(struct drain *drain, struct account *account,
                                 const struct xenoprof_view *view)
{
    enum xenoprof_status result;

    if ( !view->sample )
        return XENOPROF_OK;
    result = is_sane(view->sample) ? store(drain, account, view)
                                   : XENOPROF_INVALID;
    if ( result == XENOPROF_END )
        return result;
    if ( result )
        account->dropped++;
    else
        account->pending++;
    /* One bad sample is counted; a writer that fails ends the session. */
    return result == XENOPROF_INVALID ? XENOPROF_OK : result;
}

/* Makes the record that was read last the next one again. */
static bool put_back(struct drain *drain, size_t index,
                     const struct xenoprof_record *record)
{
    struct xenoprof_ring_info info;

    return !xenoprof_ring_info(drain->source, index, &info) &&
           !xenoprof_ring_seek(drain->source, index,
                               info.position - record->length);
}

/* True if the round must end: a block is full, or time is up. */
static bool is_over(struct drain *drain)
{
    return drain_block_is_full(drain) || (++drain->taken % CLOCK_EVERY == 0 &&
                                          monotonic_now() >= drain->round_end);
}

static enum xenoprof_status read_ring(struct drain *drain, size_t index,
                                      struct account *account)
{
    struct xenoprof_view view;
    enum xenoprof_status result = XENOPROF_OK;

    domain_names_next_ring(drain->names);
    while ( !result && !drain->over )
    {
        result = xenoprof_ring_next(drain->source, index, &view);
        if ( result == XENOPROF_END )
            return XENOPROF_OK;
        if ( result )
        {
            account->broken = true;
            return XENOPROF_OK;
        }
        result = take(drain, account, &view);
        if ( result == XENOPROF_END )
        {
            account->broken = !put_back(drain, index, view.head);
            account->waits = true;
            return XENOPROF_OK;
        }
        drain->over = is_over(drain);
    }
    return result;
}

/* Reads a ring, unless it holds nonsense or its samples wait. */
static enum xenoprof_status visit(struct drain *drain, size_t index)
{
    struct account *account = accounts_now(&drain->accounts, drain->source,
                                           index);

    if ( !account )
        return XENOPROF_NO_MEMORY;
    drain->stopped += account->info.state == XENOPROF_RING_STOPPED;
    account->waits = must_wait(drain, account);
    return account->broken || drain->over || account->waits
               ? XENOPROF_OK
               : read_ring(drain, index, account);
}

/* A round starts after the ring where the last one ended, so that no ring
 * starves. */
static enum xenoprof_status visit_all(struct drain *drain)
{
    size_t rings = xenoprof_source_rings(drain->source);
    size_t first = rings ? drain->first % rings : 0;

    for ( size_t i = 0; i < rings; i++ )
    {
        size_t index = (first + i) % rings;
        bool over = drain->over;
        enum xenoprof_status result = visit(drain, index);

        if ( result )
            return result;
        if ( drain->over && !over )
            drain->first = index + 1;
    }
    return XENOPROF_OK;
}

enum xenoprof_status drain_read(struct drain *drain, bool *more)
{
    enum xenoprof_status result;

    *more = false;
    for ( size_t i = 0; i < drain->accounts.count; i++ )
        drain->accounts.items[i].live = false;
    if ( xenoprof_source_refresh(drain->source) )
        return XENOPROF_INVALID;
    result = drain->guests
                 ? guests_work(drain->guests, drain->writer, SEARCH_WORK)
                 : XENOPROF_OK;
    if ( result )
        return result;
    drain->stopped = 0;
    drain->round_began = monotonic_now();
    drain->round_end = drain->round_began + drain->round;
    drain->taken = 0;
    drain->over = false;
    result = visit_all(drain);
    if ( !result )
        result = places_name_late(drain->places, drain->writer);
    *more = !result && drain->over;
    return result;
}
