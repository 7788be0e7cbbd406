/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait in the spool: which do, what is asked for them, and when
 * the wait ends.  A sample waits for its guest, and for those before it in its
 * ring; never for another guest, since only a vCPU's ring has samples that
 * wait, and it is of one guest.
 */
#include "base/clock.h"
#include "drain.h"
#include "daemon/guests/guest-thread.h"

/* ns of a round in which the daemon waits for walkers; all others' samples wait
 * as long. */
#define WALKER_WAIT 20000000u
/* Samples of a round that are looked at to be asked for, and of one ring. */
#define ASK_MAX  4096u
#define ASK_RING (ASK_MAX / 16)

void drain_waiting(const struct drain *drain, struct spool_waiting *ret)
{
    *ret = spool_waits(&drain->spool);
}

static enum guest_wait wait_of(const struct drain *drain,
                               const struct account *account,
                               const struct xenoprof_view *view, uint64_t tag)
{
    const struct stack_sources sources = drain_sources(drain, tag,
                                                       XENOPROF_ENDED_ROOT);

    if ( account->info.kind != XENOPROF_RING_VCPU )
        return GUEST_READY;
    return sample_stack_wait(&sources, view,
                             drain_uuid(drain, account, view->sample));
}

/* Looks for its guest's kernel if it is time to. */
static enum xenoprof_status look_for_guest_kernel(
    struct drain *drain, struct account *account,
    const struct xenoprof_view *view, uint64_t tag)
{
    const struct stack_sources sources = drain_sources(drain, tag,
                                                       XENOPROF_ENDED_ROOT);

    return sample_stack_look(&sources, drain->writer, view,
                             drain_uuid(drain, account, view->sample),
                             drain->newest);
}

static enum xenoprof_status store_head(struct drain *drain,
                                       struct account *account,
                                       const struct spool_entry *head,
                                       const struct xenoprof_view *view,
                                       enum xenoprof_ended cut)
{
    enum xenoprof_status result = drain_store(drain, account, view, head->tag,
                                              cut);

    /* If nothing can be stored it waits on, until it is counted as lost. */
    if ( result )
        return result;
    account->of_waiters -= drain_is_of_waiter(view->sample);
    spool_counts_take(&drain->spool_counts, account->info.uuid, view);
    spool_drop_head(&drain->spool, &account->fifo);
    return XENOPROF_OK;
}

static enum xenoprof_ended no_room(const struct drain *drain)
{
    return drain->spool.error ? XENOPROF_ENDED_MEMORY : XENOPROF_ENDED_SPOOL;
}

/* Where there is no room the oldest of this ring make it: a sample can be
 * stored only after those before it, and they have waited longest. */
static enum xenoprof_status let_wait(struct drain *drain,
                                     struct account *account,
                                     const struct xenoprof_view *view,
                                     uint64_t tag)
{
    enum xenoprof_status result = XENOPROF_OK;

    while ( !result &&
            !spool_put(&drain->spool, &account->fifo, account->info.uuid,
                       view->head, tag, drain->round_began) )
    {
        const struct spool_entry *head = spool_head(&account->fifo);
        struct xenoprof_view oldest;

        if ( !head )
            return drain_store(drain, account, view, tag, no_room(drain));
        oldest = spool_view(head);
        result = store_head(drain, account, head, &oldest, no_room(drain));
    }
    if ( !result )
    {
        account->of_waiters += drain_is_of_waiter(view->sample);
        spool_counts_add(&drain->spool_counts, account->info.uuid, view);
        account->changed = true;
    }
    return result;
}

/* While the thread is likely to be there still: a sample may wait for long. */
static void note_thread(const struct drain *drain,
                        const struct account *account,
                        const struct xenoprof_view *view)
{
    const uint8_t *uuid = drain_uuid(drain, account, view->sample);
    struct xenoprof_thread thread;

    if ( !view->task || !drain->guests || !uuid )
        return;
    thread = guest_thread(view->task);
    if ( *thread.comm )
        guests_note_thread(drain->guests, view->sample->domain, uuid, &thread);
}

enum xenoprof_status drain_take(struct drain *drain, struct account *account,
                                const struct xenoprof_view *view)
{
    /* No other sample of the session has this number: the record of this one
     * was read last. */
    uint64_t tag = (uint64_t)account->info.generation << 40 ^ drain->position;
    /* A sample of a vCPU that waited was in a pCPU's ring.  Its stack is walked
     * as those of its vCPU's, in whose queue it waits. */
    struct account *own = drain_is_of_waiter(view->sample)
                              ? accounts_of_vcpu(&drain->accounts,
                                                 view->sample->domain,
                                                 view->sample->vcpu)
                              : NULL;
    enum xenoprof_status result;

    if ( view->sample->time > drain->newest )
        drain->newest = view->sample->time;
    if ( own )
        account = own;
    note_thread(drain, account, view);
    result = look_for_guest_kernel(drain, account, view, tag);
    if ( result )
        return result;
    if ( !account->fifo.count &&
         wait_of(drain, account, view, tag) == GUEST_READY )
        return drain_store(drain, account, view, tag, XENOPROF_ENDED_ROOT);
    return let_wait(drain, account, view, tag);
}

/* Asks for the stacks of this ring that were not asked for yet, as far as its
 * guest's walker takes them. */
static enum xenoprof_status ask_ring(struct drain *drain,
                                     struct account *account)
{
    unsigned int end = drain->asked + ASK_RING;
    const struct spool_entry *entry;

    if ( end > ASK_MAX )
        end = ASK_MAX;
    for ( ; (entry = spool_unasked(&account->fifo)) && drain->asked < end;
          spool_asked(&account->fifo) )
    {
        const struct xenoprof_view view = spool_view(entry);
        const struct stack_sources sources = drain_sources(drain, entry->tag,
                                                           XENOPROF_ENDED_ROOT);
        enum guest_wait wait = wait_of(drain, account, &view, entry->tag);

        drain->asked++;
        if ( wait == GUEST_UNKNOWN )
            return look_for_guest_kernel(drain, account, &view, entry->tag);
        if ( wait == GUEST_NOT_ASKED &&
             !sample_stack_ask(&sources, &view,
                               drain_uuid(drain, account, view.sample)) )
            return XENOPROF_OK;
    }
    /* Those that are left come in the next round. */
    drain->again |= entry != NULL;
    return XENOPROF_OK;
}

/* Returns ns that this round waits for walkers. */
static uint64_t exchange_time(const struct drain *drain)
{
    uint64_t now = monotonic_now(), left;

    if ( !drain->hurried )
        return WALKER_WAIT;
    left = drain->hurry_end > now ? drain->hurry_end - now : 0;
    return left < WALKER_WAIT ? left : WALKER_WAIT;
}

/* As xenoprof_ring_expect(), for the queue of an account, if there is one. */
static void expect_queue(const struct drain *drain, size_t index)
{
    if ( index < drain->accounts.count )
        memory_expect(&drain->accounts.items[index].fifo.count);
}

/* The account with which a round begins. */
static size_t first_of(const struct drain *drain)
{
    const size_t count = drain->accounts.count;

    return count ? drain->first % count : 0;
}

enum xenoprof_status drain_ask(struct drain *drain)
{
    size_t count = drain->accounts.count, first = first_of(drain);
    enum xenoprof_status result = XENOPROF_OK;

    drain->asked = 0;
    if ( drain->time > drain->newest )
        drain->newest = drain->time;
    for ( size_t i = 0; !result && i < count; i++ )
    {
        size_t index = drain_turn(first, i, count);

        expect_queue(drain, index + RINGS_EXPECTED);
        result = ask_ring(drain, &drain->accounts.items[index]);
    }
    return result ? result
                  : guests_exchange(drain->guests, drain->writer,
                                    drain->hurried || !drain->gathers,
                                    exchange_time(drain));
}

/* Another round may ask for this one, which comes before all that was asked for
 * already: its walker has ended, and with it what it was asked. */
static bool may_ask(struct drain *drain, struct account *account,
                    const struct spool_entry *head,
                    const struct xenoprof_view *view)
{
    const struct stack_sources sources = drain_sources(drain, head->tag,
                                                       XENOPROF_ENDED_ROOT);
    bool can = sample_stack_can_ask(&sources, view,
                                    drain_uuid(drain, account, view->sample));

    if ( spool_unasked(&account->fifo) != head )
        spool_ask_again(&account->fifo);
    drain->again |= can;
    return can;
}

/* Its guest's walker works: another round may have its answer, or ask. */
static bool may_answer(struct drain *drain, const struct account *account,
                       const struct spool_entry *head,
                       const struct xenoprof_view *view, enum guest_wait wait)
{
    const struct stack_sources sources = drain_sources(drain, head->tag,
                                                       XENOPROF_ENDED_ROOT);
    bool may = wait == GUEST_ASKED ||
               (wait == GUEST_NOT_ASKED &&
                sample_stack_walks(&sources, view,
                                   drain_uuid(drain, account, view->sample)));

    drain->again |= may;
    return may;
}

static bool must_wait(struct drain *drain, struct account *account,
                      const struct spool_entry *head,
                      const struct xenoprof_view *view)
{
    enum guest_wait wait = wait_of(drain, account, view, head->tag);
    bool asks;

    if ( wait == GUEST_READY ||
         drain->round_began - head->since >= drain->wait )
        return false;
    /* It was asked for, and then its guest started another kernel. */
    if ( wait == GUEST_UNKNOWN && spool_unasked(&account->fifo) != head )
        spool_ask_again(&account->fifo);
    if ( drain->hurried && drain->round_began >= drain->hurry_end )
        return false;
    asks = wait == GUEST_NOT_ASKED && may_ask(drain, account, head, view);
    return !drain->hurried || asks ||
           may_answer(drain, account, head, view, wait);
}

static enum xenoprof_status store_ring(struct drain *drain,
                                       struct account *account)
{
    enum xenoprof_status result = XENOPROF_OK;
    const struct spool_entry *head;

    domain_names_next_ring(drain->names);
    while ( !result && !drain->over && (head = spool_head(&account->fifo)) )
    {
        const struct xenoprof_view view = spool_view(head);

        if ( must_wait(drain, account, head, &view) )
            break;
        result = store_head(drain, account, head, &view, XENOPROF_ENDED_ROOT);
        drain->over = drain_is_over(drain);
    }
    return result;
}

enum xenoprof_status drain_store_ready(struct drain *drain)
{
    size_t count = drain->accounts.count, first = first_of(drain);
    enum xenoprof_status result = XENOPROF_OK;
    bool over = drain->over;

    drain->over = false;
    for ( size_t i = 0; !result && i < count; i++ )
    {
        size_t index = drain_turn(first, i, count);

        expect_queue(drain, index + RINGS_EXPECTED);
        result = store_ring(drain, &drain->accounts.items[index]);
    }
    drain->over |= over;
    return result;
}
