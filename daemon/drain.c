/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/clock.h"
#include "drain.h"

/* For which the daemon looks at a guest's kernel in each round, ns. */
#define SEARCH_WORK 200000000u
/* A round is over after this time, or a little later: Xen is to hear that the
 * reader lives, and people want answers.  On a busy host a sample whose stack
 * the parser walks can take some milliseconds. */
#define ROUND 250000000u
/* It looks at the clock after so many samples: on a PV dom0 that is a system
 * call. */
#define CLOCK_EVERY 16u
/* So long the samples of a guest wait for its kernel to be found, at most;
 * or until their ring is half full. */
#define WAIT_MAX 30000000000ull /* ns */

void drain_open(struct drain *drain, struct xenoprof_source *source,
                struct xenoprof_writer *writer)
{
    drain->source = source;
    drain->writer = writer;
    drain->accounts = (struct accounts){0};
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

/* Facts of the index-th ring, and its account brought up to date. */
static struct account *look(struct drain *drain, size_t index)
{
    struct xenoprof_ring_info info;
    struct account *account;

    if ( xenoprof_ring_info(drain->source, index, &info) )
        return NULL;
    account = accounts_get(&drain->accounts, index, &info);
    if ( account )
    {
        account->info = info;
        account->live = true;
    }
    return account;
}

enum xenoprof_status drain_resume(struct drain *drain)
{
    size_t past = xenoprof_writer_past_rings(drain->writer);

    for ( size_t i = 0; i < past; i++ )
    {
        struct xenoprof_ring_past ring;
        struct account *account;

        xenoprof_writer_past_ring(drain->writer, i, &ring);
        account = accounts_get(&drain->accounts, i, &ring.info);
        if ( !account )
            return XENOPROF_NO_MEMORY;
        account->info = ring.info;
        account->read = ring.read;
        account->dropped = ring.lost_daemon;
        account->live = false;
    }
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
    {
        struct xenoprof_ring_info info;
        struct account *account;

        if ( xenoprof_ring_info(drain->source, i, &info) )
            continue;
        account = accounts_get(&drain->accounts, i, &info);
        if ( !account )
            return XENOPROF_NO_MEMORY;
        /* A block that got to disk before Xen was told of it. */
        if ( memcmp(account->info.uuid, info.uuid, 16) == 0 &&
             account->info.position > info.released )
            xenoprof_ring_seek(drain->source, i, account->info.position);
    }
    return XENOPROF_OK;
}

/* The domain that a sample is of: in a pCPU's ring, the one with its number. */
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

/* There is time, and room in its ring, for samples to wait. */
static bool is_patient(const struct drain *drain, const struct account *account)
{
    const struct xenoprof_ring_info *info = &account->info;

    return drain->guests && !drain->hurried &&
           info->kind == XENOPROF_RING_VCPU &&
           info->producer - info->position < info->size / 2 &&
           (!account->waits_since ||
            drain->round_began - account->waits_since < drain->wait);
}

/* XENOPROF_END: it is to wait. */
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
    enum xenoprof_status code;

    code = domain_names_tell(drain->names, drain->writer, sample->time,
                             sample->domain, own ? account->info.uuid : NULL);
    if ( !code )
        code = sample_stack_store(&sources, drain->writer, view,
                                  uuid_of(drain, account, sample),
                                  &account->last, &stored);
    if ( !code )
        code = xenoprof_writer_sample(drain->writer, &stored);
    if ( !code )
        chain_counts_add(&drain->chains, &stored);
    return code;
}

/* What no writer can store, since it means nothing. */
static bool is_sane(const struct xenoprof_sample *sample)
{
    return sample->mode < XENOPROF_MODES && sample->weight > 0;
}

static enum xenoprof_status take(struct drain *drain, struct account *account,
                                 const struct xenoprof_view *view)
{
    enum xenoprof_status code;

    if ( !view->sample )
        return XENOPROF_OK;
    code = is_sane(view->sample) ? store(drain, account, view)
                                 : XENOPROF_INVALID;
    if ( code == XENOPROF_END )
        return code;
    if ( code )
        account->dropped++;
    else
        account->pending++;
    /* One bad sample is counted; a writer that fails ends the session. */
    return code == XENOPROF_INVALID ? XENOPROF_OK : code;
}

static bool block_is_full(const struct drain *drain)
{
    return xenoprof_writer_pending(drain->writer) >= BLOCK_BYTES;
}

/* Its guest's kernel will be known soon, and there is room for samples. */
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

static void count_sample(struct drain *drain)
{
    drain->over = block_is_full(drain) || (++drain->taken % CLOCK_EVERY == 0 &&
                                           monotonic_now() >= drain->round_end);
}

/* It was read just now, and is the next one again. */
static bool put_back(struct drain *drain, size_t index,
                     const struct xenoprof_record *record)
{
    struct xenoprof_ring_info info;

    return !xenoprof_ring_info(drain->source, index, &info) &&
           !xenoprof_ring_seek(drain->source, index,
                               info.position - record->length);
}

static enum xenoprof_status read_ring(struct drain *drain, size_t index,
                                      struct account *account)
{
    struct xenoprof_view view;
    enum xenoprof_status code = XENOPROF_OK;

    domain_names_next_ring(drain->names);
    while ( !code && !drain->over )
    {
        code = xenoprof_ring_next(drain->source, index, &view);
        if ( code == XENOPROF_END )
            return XENOPROF_OK;
        if ( code )
        {
            account->broken = true;
            return XENOPROF_OK;
        }
        code = take(drain, account, &view);
        if ( code == XENOPROF_END )
        {
            account->broken = !put_back(drain, index, view.head);
            account->waits = true;
            return XENOPROF_OK;
        }
        count_sample(drain);
    }
    return code;
}

/* Rings that Xen stopped for what they say are left alone. */
static enum xenoprof_status visit(struct drain *drain, size_t index)
{
    struct account *account = look(drain, index);

    if ( !account )
        return XENOPROF_NO_MEMORY;
    drain->stopped += account->info.state == XENOPROF_RING_STOPPED;
    account->waits = must_wait(drain, account);
    return account->broken || drain->over || account->waits
               ? XENOPROF_OK
               : read_ring(drain, index, account);
}

/* Behind the ring where a round ended, the next one begins: none waits for
 * ever. */
static enum xenoprof_status visit_all(struct drain *drain)
{
    size_t rings = xenoprof_source_rings(drain->source);
    size_t first = rings ? drain->first % rings : 0;

    for ( size_t i = 0; i < rings; i++ )
    {
        size_t index = (first + i) % rings;
        bool over = drain->over;
        enum xenoprof_status code = visit(drain, index);

        if ( code )
            return code;
        if ( drain->over && !over )
            drain->first = index + 1;
    }
    return XENOPROF_OK;
}

enum xenoprof_status drain_read(struct drain *drain, bool *more)
{
    enum xenoprof_status code;

    *more = false;
    for ( size_t i = 0; i < drain->accounts.count; i++ )
        drain->accounts.accounts[i].live = false;
    if ( xenoprof_source_refresh(drain->source) )
        return XENOPROF_INVALID;
    code = drain->guests
               ? guests_work(drain->guests, drain->writer, SEARCH_WORK)
               : XENOPROF_OK;
    if ( code )
        return code;
    drain->stopped = 0;
    drain->round_began = monotonic_now();
    drain->round_end = drain->round_began + drain->round;
    drain->taken = 0;
    drain->over = false;
    code = visit_all(drain);
    if ( !code )
        code = places_name_late(drain->places, drain->writer);
    *more = !code && drain->over;
    return code;
}

void drain_mark(struct drain *drain)
{
    xenoprof_source_refresh(drain->source);
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
    {
        struct account *account = look(drain, i);

        if ( account )
            account->mark = account->info.producer;
    }
}

bool drain_reached_mark(struct drain *drain)
{
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
    {
        const struct account *account = look(drain, i);

        if ( account && !account->broken &&
             account->info.position < account->mark )
            return false;
    }
    return true;
}

bool drain_pressed(const struct drain *drain)
{
    if ( block_is_full(drain) )
        return true;
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
    {
        struct xenoprof_ring_info info;

        if ( !xenoprof_ring_info(drain->source, i, &info) &&
             info.position - info.released > info.size / 4 )
            return true;
    }
    return false;
}

/* The block says what it brings each ring to. */
static enum xenoprof_status put_positions(struct drain *drain)
{
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t i = 0; !code && i < xenoprof_source_rings(drain->source); i++ )
        if ( !look(drain, i) )
            code = XENOPROF_NO_MEMORY;
    for ( size_t i = 0; !code && i < drain->accounts.count; i++ )
    {
        const struct account *account = &drain->accounts.accounts[i];

        code = xenoprof_writer_ring(drain->writer, &account->info,
                                    account->read + account->pending,
                                    account_lost_daemon(account));
    }
    return code;
}

/* Also when Xen does not tell the time any more: the module may be gone, what
 * it counted stays. */
static enum xenoprof_status put_counters(struct drain *drain)
{
    struct xenoprof_status_page status;

    if ( !drain->time || xenoprof_source_status(drain->source, &status) )
        return XENOPROF_OK;
    return xenoprof_writer_counters(drain->writer, drain->time,
                                    &status.counters);
}

static enum xenoprof_status put_idle(struct drain *drain,
                                     const struct idle_times *idle)
{
    enum xenoprof_status code = XENOPROF_OK;

    for ( unsigned int i = 0; !code && i < NUMBER_SET_MAX; i++ )
        if ( number_set_has(&idle->known, i) )
            code = xenoprof_writer_idle(drain->writer, idle->now, (uint16_t)i,
                                        idle->idle[i]);
    return code;
}

enum xenoprof_status drain_flush(struct drain *drain,
                                 const struct idle_times *idle)
{
    enum xenoprof_status code = put_positions(drain);

    if ( idle )
        drain->time = idle->now;
    if ( !code )
        code = put_counters(drain);
    if ( !code && idle )
        code = put_idle(drain, idle);
    if ( !code )
        code = xenoprof_writer_flush(drain->writer);
    if ( code )
        return code;
    for ( size_t i = 0; i < drain->accounts.count; i++ )
    {
        drain->accounts.accounts[i].read += drain->accounts.accounts[i].pending;
        drain->accounts.accounts[i].pending = 0;
    }
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
        xenoprof_ring_release(drain->source, i);
    return XENOPROF_OK;
}

static bool is_finished(const struct account *account)
{
    const struct xenoprof_ring_info *info = &account->info;

    return info->state == XENOPROF_RING_CLOSED && account->pending == 0 &&
           (account->broken || info->released == info->producer);
}

bool drain_next_finished(struct drain *drain, size_t *index, uint32_t *ring)
{
    while ( *index < xenoprof_source_rings(drain->source) )
    {
        struct account *account = look(drain, (*index)++);

        if ( !account || !is_finished(account) )
            continue;
        *ring = account->info.ring;
        return true;
    }
    return false;
}

void drain_give_up(struct drain *drain)
{
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
        look(drain, i);
    for ( size_t i = 0; i < drain->accounts.count; i++ )
    {
        drain->accounts.accounts[i].pending = 0;
        drain->accounts.accounts[i].broken = true;
    }
}
