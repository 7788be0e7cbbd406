/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a record, from its ring to the writer: a round visits each ring,
 * takes its records one by one, and stores each sample with the domain it is
 * of, its stack and their names.
 */
#include "base/clock.h"
#include "drain.h"
#include "sample-stack.h"

/* ns of a round in which the daemon looks for guests' kernels, and in which it
 * waits for their walkers; all others' samples wait as long. */
#define SEARCH_WORK 20000000u
#define WALKER_WAIT 20000000u
/* The same when nothing may be left. */
#define LAST_WALKER_WAIT 500000000u
/* Records of a round whose stacks are asked for. */
#define ASK_MAX 4096u
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

/* True if samples of this ring may wait for a walker: the next rounds find room
 * in the ring, or, at the end, it will answer. */
static bool may_wait(const struct drain *drain, const struct account *account)
{
    const struct xenoprof_ring_info *info = &account->info;

    return drain->guests && (drain->hurried || info->producer - info->position <
                                                   info->size - info->size / 4);
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

/* Returns a number that no other sample of the session has; the sample's record
 * was read last. */
static uint64_t tag_of(const struct account *account, uint64_t position)
{
    return (uint64_t)account->info.generation << 40 ^ position;
}

/* For the sample that ends at drain->position. */
static struct stack_sources sources_of(const struct drain *drain,
                                       const struct account *account)
{
    return (struct stack_sources){
        .places = drain->places,
        .guests = drain->guests,
        .below_xen = drain->below_xen,
        .patient = is_patient(drain, account),
        .may_wait = may_wait(drain, account),
        .last = drain->hurried,
        .tag = tag_of(account, drain->position),
    };
}

/* Stores a sample: who it is of, its stack, then the sample itself.  Returns
 * XENOPROF_END or XENOPROF_NOT_FOUND if the sample must wait; nothing was
 * stored then. */
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
    const struct stack_sources sources = sources_of(drain, account);
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

static bool must_come_back(enum xenoprof_status result)
{
    return result == XENOPROF_END || result == XENOPROF_NOT_FOUND;
}

/* Takes one record.  Returns XENOPROF_END or XENOPROF_NOT_FOUND if its sample
 * must wait. */
static enum xenoprof_status take(struct drain *drain, struct account *account,
                                 const struct xenoprof_view *view)
{
    enum xenoprof_status result;

    if ( !view->sample )
        return XENOPROF_OK;
    result = is_sane(view->sample) ? store(drain, account, view)
                                   : XENOPROF_INVALID;
    if ( must_come_back(result) )
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
    return !xenoprof_ring_seek(drain->source, index,
                               drain->position - record->length);
}

/* True if the round must end: a block is full, or time is up. */
static bool is_over(struct drain *drain)
{
    return drain_block_is_full(drain) || (++drain->taken % CLOCK_EVERY == 0 &&
                                          monotonic_now() >= drain->round_end);
}

/* The next record, and drain->position behind it. */
static enum xenoprof_status next_record(struct drain *drain, size_t index,
                                        struct xenoprof_view *view)
{
    struct xenoprof_ring_info info;
    enum xenoprof_status result = xenoprof_ring_next(drain->source, index,
                                                     view);

    if ( !result )
        result = xenoprof_ring_info(drain->source, index, &info);
    if ( !result )
        drain->position = info.position;
    return result;
}

static enum xenoprof_status read_ring(struct drain *drain, size_t index,
                                      struct account *account)
{
    struct xenoprof_view view;
    enum xenoprof_status result = XENOPROF_OK;

    domain_names_next_ring(drain->names);
    while ( !result && !drain->over )
    {
        result = next_record(drain, index, &view);
        if ( result == XENOPROF_END )
            return XENOPROF_OK;
        if ( result )
        {
            account->broken = true;
            return XENOPROF_OK;
        }
        result = take(drain, account, &view);
        if ( must_come_back(result) )
        {
            account->broken = !put_back(drain, index, view.head);
            account->waits = true;
            if ( result == XENOPROF_NOT_FOUND )
                account->asked = 0;
            drain->again |= result == XENOPROF_NOT_FOUND;
            return XENOPROF_OK;
        }
        drain->over = is_over(drain);
    }
    return result;
}

/* Asks for the stacks of the samples that are in a ring now. */
static void ask_ring(struct drain *drain, size_t index, struct account *account)
{
    uint64_t begin = account->info.position;
    bool urgent = account->info.producer - begin > account->info.size / 4;
    struct xenoprof_view view;

    drain->position = account->asked > begin ? account->asked : begin;
    if ( xenoprof_ring_seek(drain->source, index, drain->position) )
        return;
    domain_names_next_ring(drain->names);
    while ( drain->asked < ASK_MAX && !next_record(drain, index, &view) )
    {
        struct stack_sources sources = sources_of(drain, account);

        drain->asked++;
        if ( view.sample && is_sane(view.sample) &&
             !sample_stack_ask(&sources, &view,
                               uuid_of(drain, account, view.sample), urgent) )
            break;
        account->asked = drain->position;
    }
    xenoprof_ring_seek(drain->source, index, begin);
}

/* All stacks of a round go to the walkers at once. */
static enum xenoprof_status ask_all(struct drain *drain)
{
    size_t rings = xenoprof_source_rings(drain->source);

    drain->asked = 0;
    for ( size_t i = 0; i < rings; i++ )
    {
        size_t index = (drain->first + i) % rings;
        struct account *account = accounts_now(&drain->accounts, drain->source,
                                               index);

        if ( !account )
            return XENOPROF_NO_MEMORY;
        if ( !account->broken )
            ask_ring(drain, index, account);
    }
    return guests_exchange(drain->guests, drain->writer, drain->hurried,
                           drain->hurried ? LAST_WALKER_WAIT : WALKER_WAIT);
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
    if ( !result && drain->guests )
        result = ask_all(drain);
    if ( result )
        return result;
    drain->stopped = 0;
    drain->round_began = monotonic_now();
    drain->round_end = drain->round_began + drain->round;
    drain->taken = 0;
    drain->over = drain->again = false;
    result = visit_all(drain);
    if ( !result )
        result = places_name_late(drain->places, drain->writer);
    *more = !result && (drain->over || drain->again);
    return result;
}
