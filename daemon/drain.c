/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A round: it visits each ring and takes its records one by one, has the
 * walkers answer, and stores what need not wait any more.
 */
#include "base/clock.h"
#include "drain.h"

/* ns of a round in which the daemon looks for guests' kernels, at least. */
#define SEARCH_WORK 50000000u
/* ns after which a part of a round ends: Xen must see that the reader lives,
 * and clients want answers. */
#define ROUND 250000000u
/* ns that samples wait for their guest, at most: as long as a search for its
 * kernel may take. */
#define WAIT_MAX 600000000000ull

void drain_open(struct drain *drain, struct xenoprof_source *source,
                struct xenoprof_writer *writer, uint64_t spool)
{
    drain->source = source;
    drain->writer = writer;
    accounts_init(&drain->accounts);
    spool_open(&drain->spool, spool);
    spool_counts_init(&drain->spool_counts);
    wait_times_init(&drain->waits);
    drain->waiters = (struct waiter_account){.asked = false};
    drain->chains = (struct chain_counts){0};
    drain->files_ended = xenoprof_writer_epoch(writer);
    drain->time = drain->newest = 0;
    drain->stopped = drain->closed = 0;
    drain->list = 0;
    drain->gathers = true;
    drain->round = ROUND;
    drain->rest = 0;
    drain->wait = WAIT_MAX;
}

void drain_close(struct drain *drain)
{
    for ( size_t i = 0; i < drain->accounts.count; i++ )
    {
        spool_clear(&drain->spool, &drain->accounts.items[i].fifo);
        drain->accounts.items[i].of_waiters = 0;
    }
    spool_close(&drain->spool);
    spool_counts_free(&drain->spool_counts);
    wait_times_free(&drain->waits);
}

void drain_free(struct drain *drain)
{
    drain_close(drain);
    accounts_free(&drain->accounts);
    chain_counts_free(&drain->chains);
}

static void begin_part(struct drain *drain)
{
    drain->round_began = monotonic_now();
    drain->round_end = drain->round_began + drain->round;
    drain->taken = 0;
}

/* No writer can store other samples: they mean nothing. */
static bool is_sane_sample(const struct xenoprof_sample *sample)
{
    return sample->mode < XENOPROF_MODES && sample->weight > 0;
}

/* It comes only once, also if the next round can store again. */
static enum xenoprof_status take_sample(struct drain *drain,
                                        struct account *account,
                                        const struct xenoprof_view *view)
{
    enum xenoprof_status result = XENOPROF_OK;

    if ( is_sane_sample(view->sample) )
        result = drain_take(drain, account, view);
    if ( result || !is_sane_sample(view->sample) )
        drain_drop(drain, account, view->sample);
    return result;
}

/* A session without that event has nothing to scale by it. */
static enum xenoprof_status take_counted(struct drain *drain,
                                         const struct xenoprof_counted *counted)
{
    enum xenoprof_status result = xenoprof_writer_measured(
        drain->writer, counted->time,
        &(struct xenoprof_measured){
            .type = (uint16_t)(XENOPROF_TYPE_EVENT + counted->event),
            .pcpu = counted->pcpu,
            .enabled = counted->enabled,
            .running = counted->running});

    return result == XENOPROF_INVALID ? XENOPROF_OK : result;
}

static enum xenoprof_status drain_one_ring(struct drain *drain, size_t index,
                                           struct account *account)
{
    struct xenoprof_view view;
    enum xenoprof_status result = XENOPROF_OK;

    domain_names_next_ring(drain->names);
    drain->position = account->info.position;
    while ( !result && !drain->over )
    {
        result = xenoprof_ring_next(drain->source, index, &view);
        if ( result )
        {
            account->broken = result != XENOPROF_END;
            return XENOPROF_OK;
        }
        drain->position += view.head->length;
        if ( view.sample )
            result = take_sample(drain, account, &view);
        else if ( view.wait )
            result = wait_times_take(&drain->waits, drain->names, drain->writer,
                                     view.wait);
        else if ( view.counted )
            result = take_counted(drain, view.counted);
        drain->over = drain_is_over(drain);
    }
    return result;
}

/* Samples of waiters have half of a ring. */
static bool is_pressed(const struct drain *drain, const struct account *account)
{
    uint32_t parts = drain->waiters.asked ? 4 : 2;
    const struct xenoprof_ring_info *info = &account->info;

    return info->position - info->released > info->size / parts;
}

/* Reads a ring, unless it holds nonsense. */
static enum xenoprof_status visit(struct drain *drain, size_t index)
{
    struct account *account = accounts_now(&drain->accounts, drain->source,
                                           index);
    enum xenoprof_status result = XENOPROF_OK;

    if ( !account )
        return XENOPROF_NO_MEMORY;
    drain->stopped += account->info.state == XENOPROF_RING_STOPPED;
    drain->closed += account->info.state == XENOPROF_RING_CLOSED;
    if ( !account->broken && !drain->over )
        result = drain_one_ring(drain, index, account);
    if ( !drain->pressed )
        account = accounts_now(&drain->accounts, drain->source, index);
    drain->pressed = drain->pressed || (account && is_pressed(drain, account));
    return result;
}

/* A round starts after the ring where the last one ended, so that no ring
 * starves.  A large host has a thousand rings, more than a cache holds: of one
 * that has nothing new, no more is looked at than that. */
static enum xenoprof_status visit_all(struct drain *drain)
{
    size_t rings = xenoprof_source_rings(drain->source);
    size_t first = rings ? drain->first % rings : 0;

    drain->closed = 0;
    for ( size_t i = 0; i < rings; i++ )
    {
        size_t index = drain_turn(first, i, rings);
        bool over = drain->over;
        enum xenoprof_status result = XENOPROF_OK;

        xenoprof_ring_expect(drain->source, index + RINGS_EXPECTED);
        if ( xenoprof_ring_stirs(drain->source, index) )
            result = visit(drain, index);
        if ( result )
            return result;
        if ( drain->over && !over )
            drain->first = index + 1;
    }
    return XENOPROF_OK;
}

/* Rings come and go seldom. */
static enum xenoprof_status list_rings(struct drain *drain)
{
    uint64_t list = xenoprof_source_list(drain->source);

    if ( drain->list == list )
        return XENOPROF_OK;
    if ( !accounts_list(&drain->accounts, drain->source) )
        return XENOPROF_NO_MEMORY;
    drain->list = list;
    return XENOPROF_OK;
}

/* New samples may come as fast as they are stored: who hurries, and is late,
 * takes those only that were there when it began. */
static bool has_all(struct drain *drain)
{
    return drain->hurried && monotonic_now() >= drain->hurry_end &&
           drain_rings_reached_mark(drain);
}

enum xenoprof_status drain_finish_waits(struct drain *drain)
{
    struct xenoprof_status_page status;
    bool known = !xenoprof_source_status(drain->source, &status);
    enum xenoprof_status result = waiters_say(&drain->waiters, drain->writer,
                                              drain->time,
                                              known ? &status : NULL, true);

    return result
               ? result
               : wait_times_finish(&drain->waits, drain->names, drain->writer);
}

/* As long as all else that a round does: where dom0 has little of a pCPU that
 * is long, and a search that gets a moment of each round would never end.  But
 * no guest's search takes half of the time from rings that fill. */
static uint64_t search_time(const struct drain *drain)
{
    uint64_t rest = drain->rest < ROUND ? drain->rest : ROUND;

    return rest < SEARCH_WORK ? SEARCH_WORK : rest;
}

enum xenoprof_status drain_read(struct drain *drain, bool *more)
{
    enum xenoprof_status result;
    uint64_t began;

    *more = false;
    /* Whoever saves the session ends a file, too. */
    drain_check_file(drain);
    if ( xenoprof_source_refresh(drain->source) )
        return XENOPROF_INVALID;
    result = list_rings(drain);
    if ( !result && drain->guests )
        result = guests_work(drain->guests, drain->writer, search_time(drain));
    if ( result )
        return result;
    began = monotonic_now();
    drain->stopped = 0;
    drain->over = drain->again = drain->pressed = false;
    begin_part(drain);
    result = has_all(drain) ? XENOPROF_OK : visit_all(drain);
    if ( !result && drain->guests )
    {
        result = drain_ask(drain);
        begin_part(drain);
        if ( !result )
            result = drain_store_ready(drain);
    }
    if ( !result )
        result = places_name_late(drain->places, drain->writer);
    /* Each ring is the first one now and then, of those that ask, too. */
    drain->first += !drain->over;
    *more = !result && (drain->over || drain->again);
    drain->rest = drain->over || drain->pressed ? 0 : monotonic_now() - began;
    return result;
}
