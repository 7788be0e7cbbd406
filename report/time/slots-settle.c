/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each owner has of its slots, and what its ticks are worth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libxenoprof.h>

#include "base/must.h"
#include "slots.h"

#define COVERED 0.5 /* of a slot, for which pCPUs' account is believed */

/* By how much what is estimated may be scaled to what pCPUs worked: more is a
 * gap in what is known, not an error of sampling. */
#define SCALE_MOST 4.0

/* All of the host in one slot, in ns. */
struct host_slot {
    double length;    /* of what of the span is in it */
    double pcpus;     /* of pCPUs: their account is of so much, */
    double work;      /* and of it they worked so much */
    double running;   /* by the account of owners */
    double estimated; /* what samples stand for beside it */
    double scale;     /* of that */
    double given;     /* to owners */
};

struct settling {
    struct slots *slots;
    struct time_span span; /* in ns, of what there is */
    struct host_slot *host;
    size_t count; /* of these */
};

static bool is_idle_owner(const struct owner *owner)
{
    return owner->key.domain == SLOTS_IDLE;
}

static struct owner *owner_at(const struct settling *settling, size_t index)
{
    return table_at(&settling->slots->owners, index);
}

/* What of the span is in a slot; nothing, if it ends before it begins. */
static struct time_span slot_span(const struct settling *settling,
                                  uint64_t slot)
{
    const struct slots *slots = settling->slots;
    const uint64_t begin = (slots->origin + slot * slots->width) *
                           XENOPROF_SECOND;
    const uint64_t end = begin + slots->width * XENOPROF_SECOND;
    struct time_span span = settling->span;

    if ( slot && begin > span.from )
        span.from = begin;
    if ( end < span.to )
        span.to = end;
    return span;
}

/* Of a slot; an owner's index + 1, or 0. */
static void keep_row(const struct settling *settling, enum time_row_kind kind,
                     size_t owner, uint64_t slot, uint64_t time)
{
    const struct time_span span = slot_span(settling, slot);
    const struct time_row row = {kind, (uint32_t)owner, span.from, span.to,
                                 time};

    if ( settling->slots->rows )
        time_rows_add(settling->slots->rows, &row);
}

/* Which part of a slot the account does not cover. */
static double unknown_part(double known, double length)
{
    return length > 0 ? fmax(1 - known / length, 0) : 1;
}

/* What its samples stand for, with those that its ring lost meanwhile. */
static double stand_for(const struct slot *slot)
{
    return slot->read > 0
               ? slot->ticks * (1 + (double)slot->lost / (double)slot->read)
               : slot->ticks;
}

static double estimate(const struct settling *settling, const struct slot *slot,
                       uint64_t number)
{
    const struct host_slot *host = &settling->host[number];

    return stand_for(slot) * unknown_part(slot->known, host->length);
}

static void add_host(const struct settling *settling, const struct owner *owner)
{
    for ( size_t i = 0; i < owner->slots.count; i++ )
    {
        const struct slot *slot = &owner->slots.items[i];
        struct host_slot *host = &settling->host[owner->first + i];

        if ( is_idle_owner(owner) )
        {
            host->pcpus += slot->known;
            host->work += slot->known - (double)slot->running;
            continue;
        }
        host->running += (double)slot->running;
        host->estimated += estimate(settling, slot, owner->first + i);
    }
}

/* Work by pCPUs' account, in all of the slot; less than 0: not known. */
static double work_of(const struct host_slot *host, size_t pcpus)
{
    const double all = host->length * (double)pcpus;

    return all > 0 && host->pcpus >= COVERED * all
               ? fmax(host->work * all / host->pcpus, 0)
               : -1;
}

static void set_scale(struct host_slot *host, size_t pcpus)
{
    const double work = work_of(host, pcpus);

    host->scale = 1;
    if ( work < 0 || host->estimated <= 0 )
        return;
    host->scale = fmax(work - host->running, 0) / host->estimated;
    host->scale = fmin(fmax(host->scale, 1 / SCALE_MOST), SCALE_MOST);
}

/* Sets what each slot of an owner has; all in whole ns. */
static void set_needs(const struct settling *settling, struct owner *owner)
{
    const struct time_rows *rows = settling->slots->rows;
    const size_t index = table_index(&settling->slots->owners, owner);

    for ( size_t i = 0; i < owner->slots.count; i++ )
    {
        struct slot *slot = &owner->slots.items[i];
        struct host_slot *host = &settling->host[owner->first + i];
        /* No owner runs for longer than its account leaves unknown. */
        const double room = fmax(host->length - slot->known, 0);
        const uint64_t more = (uint64_t)llround(fmin(
            estimate(settling, slot, owner->first + i) * host->scale, room));

        if ( rows && rows->many )
            keep_row(settling, TIME_ROW_RAN, index + 1, owner->first + i,
                     slot->running);
        keep_row(settling, TIME_ROW_STANDS, index + 1, owner->first + i, more);
        slot->running += more;
        owner->estimated += more;
        owner->time += slot->running;
        host->given += (double)slot->running;
    }
}

/* Returns the next slot with a sample from here on, or count. */
static size_t next_sampled(const struct owner *owner, size_t at)
{
    while ( at < owner->slots.count && owner->slots.items[at].ticks <= 0 )
        at++;
    return at;
}

/* Time of slots from first to end without a sample is added to what the sampled
 * ones at both sides have, whichever is nearer; rates are ns still. */
static void lend(struct owner *owner, size_t first, size_t end)
{
    const bool before = first > 0, after = end < owner->slots.count;

    for ( size_t i = first; i < end; i++ )
    {
        const uint64_t time = owner->slots.items[i].running;
        const bool earlier = before && (!after || i - first + 1 <= end - i);

        owner->slots.items[earlier ? first - 1 : end].rate += (double)time;
        owner->borrowed += time;
    }
}

static void set_rates(struct owner *owner)
{
    size_t at = next_sampled(owner, 0), first = 0;

    if ( at == owner->slots.count )
    {
        owner->unsampled = owner->time;
        return;
    }
    for ( size_t i = 0; i < owner->slots.count; i++ )
        owner->slots.items[i].rate = (double)owner->slots.items[i].running;
    for ( ;; )
    {
        lend(owner, first, at);
        if ( at == owner->slots.count )
            break;
        first = at + 1;
        at = next_sampled(owner, first);
    }
    for ( size_t i = 0; i < owner->slots.count; i++ )
    {
        struct slot *slot = &owner->slots.items[i];

        slot->rate = slot->ticks > 0 ? slot->rate / slot->ticks : 0;
    }
}

/* Of an idle vCPU's time, Xen's work has what its samples stand for. */
static void set_idle(const struct settling *settling, struct owner *owner)
{
    for ( size_t i = 0; i < owner->slots.count; i++ )
    {
        struct slot *slot = &owner->slots.items[i];
        const double length = settling->host[owner->first + i].length;
        double work = stand_for(slot);

        if ( unknown_part(slot->known, length) < COVERED )
            work = fmin(work, (double)slot->running);
        slot->rate = slot->ticks > 0 ? work / slot->ticks : 0;
        slot->running = (uint64_t)llround(work);
        owner->time += slot->running;
        keep_row(settling, TIME_ROW_STANDS,
                 table_index(&settling->slots->owners, owner) + 1,
                 owner->first + i, slot->running);
    }
}

/* The account of pCPUs says how long all worked, that of vCPUs how long each
 * did; both are looked at one after the other.  What they differ by is idle
 * time, unless nothing else is known of most of it: then it is a gap. */
static void find_gap(const struct settling *settling, size_t pcpus)
{
    struct slots *slots = settling->slots;
    double gap = 0;

    for ( size_t i = 0; i < settling->count; i++ )
    {
        const struct host_slot *host = &settling->host[i];
        const double work = work_of(host, pcpus);

        if ( work >= 0 && host->given < work / 2 && !host->estimated )
        {
            gap += work - host->given;
            keep_row(settling, TIME_ROW_GAP, 0, i,
                     (uint64_t)llround(work - host->given));
        }
        keep_row(settling, TIME_ROW_HOST, 0, i, (uint64_t)llround(host->pcpus));
    }
    slots->gap = (uint64_t)llround(gap);
}

static void make_host(struct settling *settling)
{
    for ( size_t i = 0; i < settling->slots->owners.count; i++ )
    {
        const struct owner *owner = owner_at(settling, i);

        if ( owner->slots.count &&
             owner->first + owner->slots.count > settling->count )
            settling->count = (size_t)owner->first + owner->slots.count;
    }
    settling->host = must(calloc(settling->count + 1, sizeof(*settling->host)));
    for ( size_t i = 0; i < settling->count; i++ )
    {
        const struct time_span span = slot_span(settling, i);

        settling->host[i].length = span.to > span.from
                                       ? (double)(span.to - span.from)
                                       : 0;
    }
}

void slots_settle(struct slots *slots, const struct time_span *span)
{
    struct settling settling = {.slots = slots, .span = *span};
    size_t pcpus = 0;

    make_host(&settling);
    for ( size_t i = 0; i < slots->owners.count; i++ )
    {
        const struct owner *owner = owner_at(&settling, i);

        pcpus += is_idle_owner(owner) && owner->slots.count;
        add_host(&settling, owner);
    }
    for ( size_t i = 0; i < settling.count; i++ )
        set_scale(&settling.host[i], pcpus);
    for ( size_t i = 0; i < slots->owners.count; i++ )
    {
        struct owner *owner = owner_at(&settling, i);

        if ( is_idle_owner(owner) )
        {
            set_idle(&settling, owner);
            continue;
        }
        set_needs(&settling, owner);
        set_rates(owner);
    }
    find_gap(&settling, pcpus);
    slots->settled = true;
    free(settling.host);
}
