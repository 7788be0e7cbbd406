/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spooled-times.h"

#include "base/must.h"

#include <string.h>

#define TIDY_FROM 1024u /* rows; fewer may all be over */

void spooled_init(struct spooled_times *spooled)
{
    const struct time_span all = {0, UINT64_MAX};

    *spooled = (struct spooled_times){.there = all, .span = all};
    table_init(&spooled->rows, sizeof(((struct spooled_time *)0)->key),
               sizeof(struct spooled_time));
}

void spooled_free(struct spooled_times *spooled)
{
    table_free(&spooled->rows);
    spooled->over = 0;
}

static bool is_over(const struct spooled_time *row)
{
    return !row->samples && !row->ticks;
}

static bool is_kept(const void *entry, const void *argument)
{
    (void)argument;
    return !is_over(entry);
}

static void add_spooled_row(struct spooled_times *spooled,
                            const struct xenoprof_spooled *from)
{
    struct spooled_time key = {.key = {.second = from->second,
                                       .domain = from->domain,
                                       .vcpu = from->vcpu,
                                       .mode = from->mode}};
    struct spooled_time *row;
    size_t before;

    /* A day of recording has many rows that are over. */
    if ( spooled->rows.count >= TIDY_FROM &&
         spooled->over >= spooled->rows.count / 2 )
    {
        spooled->over = 0;
        must_do(table_keep(&spooled->rows, is_kept, NULL));
    }
    memcpy(key.key.uuid, from->uuid, sizeof(key.key.uuid));
    row = table_find(&spooled->rows, &key.key);
    if ( !row && spooled->rows.count >= SPOOLED_MOST )
        return;
    before = spooled->rows.count;
    row = must(table_put(&spooled->rows, &key.key));
    spooled->over -= spooled->rows.count == before && is_over(row);
    /* A file says what it likes: sums wrap. */
    row->samples = (int64_t)((uint64_t)row->samples + (uint64_t)from->samples);
    row->ticks = (int64_t)((uint64_t)row->ticks +
                           (uint64_t)from->samples * from->period);
    spooled->over += is_over(row);
}

void spooled_take(struct spooled_times *spooled,
                  const struct xenoprof_item *item)
{
    if ( item->kind == XENOPROF_ITEM_CLOSED ||
         (item->kind == XENOPROF_ITEM_SPOOLED && item->u.spooled.anew) )
        spooled_free(spooled);
    else if ( item->kind == XENOPROF_ITEM_SPOOLED )
        add_spooled_row(spooled, &item->u.spooled);
}

static double overlap(const struct time_span *a, const struct time_span *b)
{
    const uint64_t from = a->from > b->from ? a->from : b->from;
    const uint64_t to = a->to < b->to ? a->to : b->to;

    return from < to ? (double)(to - from) : 0;
}

/* Samples of a second were taken all over the part of it that the session
 * has. */
double spooled_part(const struct spooled_times *spooled,
                    const struct spooled_time *row)
{
    const uint64_t second = row->key.second * XENOPROF_SECOND;
    const struct time_span there = {
        second > spooled->there.from ? second : spooled->there.from,
        second + XENOPROF_SECOND < spooled->there.to ? second + XENOPROF_SECOND
                                                     : spooled->there.to};
    const double all = overlap(&there, &there);

    return row->samples > 0 && row->ticks > 0 && all > 0
               ? overlap(&there, &spooled->span) / all
               : 0;
}

uint64_t spooled_samples(const struct spooled_times *spooled)
{
    uint64_t sum = 0;

    for ( size_t i = 0; i < spooled->rows.count; i++ )
    {
        const struct spooled_time *row = table_at(&spooled->rows, i);

        /* A file says what it likes. */
        if ( row->samples > 0 && row->samples <= UINT32_MAX )
            sum += (uint64_t)row->samples;
    }
    return sum;
}

struct owner_key spooled_owner(const struct slots *slots,
                               const struct spooled_time *row, uint32_t pcpu)
{
    struct owner_key key = {.domain = row->key.domain, .vcpu = row->key.vcpu};

    if ( slots->by_pcpu )
        return (struct owner_key){.domain = SLOTS_WORK, .vcpu = pcpu};
    memcpy(key.uuid, row->key.uuid, sizeof(key.uuid));
    return key;
}

static void add_owner_ticks(struct slots *slots, const struct spooled_time *row,
                            uint32_t pcpu, double ticks)
{
    const struct owner_key key = spooled_owner(slots, row, pcpu);
    const uint32_t owner = slots_put(slots, &key);

    slots_add_ticks(slots, owner, row->key.second, ticks);
    /* Nobody will see them. */
    slots_slot(slots, owner, slots_of_second(slots, row->key.second))->unseen -=
        ticks;
}

static bool is_pcpu(const struct owner *owner)
{
    return owner->key.domain == SLOTS_WORK && owner->covered;
}

static void add_ticks_to_pcpus(struct slots *slots,
                               const struct spooled_time *row, double ticks)
{
    size_t pcpus = 0;

    for ( size_t i = 0; i < slots->owners.count; i++ )
        pcpus += is_pcpu(table_at(&slots->owners, i));
    for ( size_t i = 0; i < slots->owners.count; i++ )
    {
        const struct owner *owner = table_at(&slots->owners, i);

        if ( is_pcpu(owner) )
            add_owner_ticks(slots, row, owner->key.vcpu, ticks / (double)pcpus);
    }
}

void spooled_add_ticks(const struct spooled_times *spooled, struct slots *slots)
{
    for ( size_t i = 0; i < spooled->rows.count; i++ )
    {
        const struct spooled_time *row = table_at(&spooled->rows, i);
        const double ticks = (double)row->ticks * spooled_part(spooled, row);

        if ( ticks > 0 )
        {
            if ( slots->by_pcpu )
                add_ticks_to_pcpus(slots, row, ticks);
            else
                add_owner_ticks(slots, row, 0, ticks);
        }
    }
}

double spooled_ns(const struct spooled_times *spooled,
                  const struct spooled_time *row, struct slots *slots,
                  uint32_t pcpu)
{
    const double part = spooled_part(spooled, row);
    const struct owner_key key = spooled_owner(slots, row, pcpu);
    const uint32_t owner = part > 0 ? slots_put(slots, &key) : 0;

    return owner ? (double)row->ticks * part *
                       slots_rate(slots, owner,
                                  slots_of_second(slots, row->key.second))
                 : 0;
}
