/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a block of the session says of the rings, and what follows from it: Xen
 * may overwrite the bytes of a ring once the block with their samples is on
 * disk; a new daemon goes on where the last block ended.
 */
#include <string.h>

#include "base/clock.h"
#include "drain.h"
#include "libxenoprof/session/session-attributes.h"

/* Samples between two readings of the clock, which on a PV dom0 is a system
 * call. */
#define CLOCK_EVERY 16u

enum xenoprof_status drain_resume(struct drain *drain)
{
    size_t past = xenoprof_writer_past_rings(drain->writer);

    if ( !accounts_resume(&drain->accounts, drain->writer) )
        return XENOPROF_NO_MEMORY;
    waiters_resume(&drain->waiters,
                   xenoprof_writer_past_attribute(drain->writer,
                                                  SESSION_ATTRIBUTE_WAITING));
    for ( size_t i = 0; i < past; i++ )
    {
        struct xenoprof_ring_past ring;
        struct account *account;

        xenoprof_writer_past_ring(drain->writer, i, &ring);
        account = accounts_get(&drain->accounts, &ring.info);
        if ( !account )
            return XENOPROF_NO_MEMORY;
        account->info = ring.info;
        account->info.state = XENOPROF_RING_CLOSED;
        account->read = ring.read;
        /* What waited in the daemon that died is lost. */
        account->dropped = ring.lost_daemon + ring.spooled;
        account->live = false;
    }
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
    {
        struct xenoprof_ring_info info;
        struct account *account;

        if ( xenoprof_ring_info(drain->source, i, &info) )
            continue;
        account = accounts_get(&drain->accounts, &info);
        if ( !account )
            return XENOPROF_NO_MEMORY;
        /* The daemon died after this block was on disk, before it released the
         * ring. */
        if ( memcmp(account->info.uuid, info.uuid, 16) == 0 &&
             account->info.position > info.released )
            xenoprof_ring_seek(drain->source, i, account->info.position);
    }
    /* After xenoprof_ring_info() a ring counts as unchanged. */
    return accounts_list(&drain->accounts, drain->source) ? XENOPROF_OK
                                                          : XENOPROF_NO_MEMORY;
}

void drain_mark(struct drain *drain)
{
    xenoprof_source_refresh(drain->source);
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
    {
        struct account *account = accounts_now(&drain->accounts, drain->source,
                                               i);

        if ( account )
            account->mark = account->info.producer;
    }
}

bool drain_rings_reached_mark(struct drain *drain)
{
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
    {
        const struct account *account = accounts_now(&drain->accounts,
                                                     drain->source, i);

        if ( account && !account->broken &&
             account->info.position < account->mark )
            return false;
    }
    return true;
}

bool drain_reached_mark(struct drain *drain)
{
    return !drain->spool.samples && drain_rings_reached_mark(drain);
}

static bool block_is_full(const struct drain *drain)
{
    return xenoprof_writer_pending(drain->writer) >= BLOCK_BYTES;
}

bool drain_pressed(const struct drain *drain)
{
    return drain->pressed || block_is_full(drain);
}

bool drain_is_over(struct drain *drain)
{
    return block_is_full(drain) || (++drain->taken % CLOCK_EVERY == 0 &&
                                    monotonic_now() >= drain->round_end);
}

/* The block carries the position to which it brings each ring, if that is not
 * what was said before. */
static enum xenoprof_status put_positions(struct drain *drain)
{
    enum xenoprof_status result = accounts_update(&drain->accounts,
                                                  drain->source)
                                      ? XENOPROF_OK
                                      : XENOPROF_NO_MEMORY;

    for ( size_t i = 0; !result && i < drain->accounts.count; i++ )
    {
        const struct account *account = &drain->accounts.items[i];

        if ( account->changed )
            result = xenoprof_writer_ring(
                drain->writer, &account->info, account->read + account->pending,
                account_lost_daemon(account), account_spooled(account));
    }
    return result;
}

/* Also without Xen's time: the module may be gone, its counters stay. */
static enum xenoprof_status store_counters(struct drain *drain)
{
    struct xenoprof_status_page status;
    enum xenoprof_status result;

    if ( !drain->time || xenoprof_source_status(drain->source, &status) )
        return XENOPROF_OK;
    result = xenoprof_writer_counters(drain->writer, drain->time,
                                      &status.counters);
    return result ? result
                  : waiters_say(&drain->waiters, drain->writer, drain->time,
                                &status, false);
}

static enum xenoprof_status put_idle(struct drain *drain,
                                     const struct idle_times *idle)
{
    enum xenoprof_status result = XENOPROF_OK;

    for ( unsigned int i = 0; !result && i < NUMBER_SET_MAX; i++ )
        if ( number_set_has(&idle->known, i) )
            result = xenoprof_writer_idle(drain->writer, idle->now, (uint16_t)i,
                                          idle->idle[i]);
    return result;
}

/* What is pending is in the block now. */
static void note_pending_read(struct accounts *accounts)
{
    for ( size_t i = 0; i < accounts->count; i++ )
    {
        struct account *account = &accounts->items[i];

        if ( !account->changed )
            continue;
        account->read += account->pending;
        account->pending = 0;
        account->changed = false;
    }
}

enum xenoprof_status drain_flush(struct drain *drain,
                                 const struct idle_times *idle)
{
    enum xenoprof_status result = put_positions(drain);

    if ( idle )
        drain->time = idle->now;
    if ( !result )
        result = store_counters(drain);
    if ( !result && idle )
        result = put_idle(drain, idle);
    drain_check_file(drain);
    if ( !result )
        result = spool_counts_write(&drain->spool_counts, drain->names,
                                    drain->writer, drain->newest);
    if ( !result )
        result = xenoprof_writer_flush(drain->writer);
    if ( result )
        return result;
    drain_check_file(drain);
    drain->waiters.read += drain->waiters.pending;
    drain->waiters.pending = 0;
    note_pending_read(&drain->accounts);
    for ( size_t i = 0; i < xenoprof_source_rings(drain->source); i++ )
        xenoprof_ring_release(drain->source, i);
    accounts_retire(&drain->accounts, drain->writer);
    spool_trim(&drain->spool);
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
    while ( drain->closed && *index < xenoprof_source_rings(drain->source) )
    {
        struct account *account = accounts_now(&drain->accounts, drain->source,
                                               (*index)++);

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
        accounts_now(&drain->accounts, drain->source, i);
    for ( size_t i = 0; i < drain->accounts.count; i++ )
    {
        drain->accounts.items[i].pending = 0;
        drain->accounts.items[i].broken = drain->accounts.items[i].changed =
            true;
        spool_clear(&drain->spool, &drain->accounts.items[i].fifo);
        drain->accounts.items[i].of_waiters = 0;
    }
    spool_counts_clear(&drain->spool_counts);
    drain->waiters.pending = 0;
}
