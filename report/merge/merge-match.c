/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-match.h"

#include "base/must.h"

#include <stdlib.h>

/* A sample of the guest's by what is looked for; time is the host's. */
struct match_row {
    int64_t time;
    uint32_t key; /* CPU, or thread */
    const struct merge_guest_sample *sample;
};

struct match_rows {
    struct match_row *items;
    size_t count;
    int64_t half;
};

static int compare_rows(const void *left, const void *right)
{
    const struct match_row *one = left, *other = right;

    if ( one->key != other->key )
        return one->key < other->key ? -1 : 1;
    return one->time < other->time ? -1 : one->time > other->time;
}

static struct match_rows make_rows(const struct merge_guest *guest,
                                   int64_t offset, bool by_thread)
{
    struct match_rows rows = {
        .items = must(malloc((guest->samples.count + 1) * sizeof(*rows.items))),
        .count = guest->samples.count,
        .half = (int64_t)guest->half,
    };

    for ( size_t i = 0; i < rows.count; i++ )
    {
        const struct merge_guest_sample *sample = &guest->samples.items[i];

        rows.items[i] = (struct match_row){
            (int64_t)sample->time + offset,
            by_thread ? sample->tid : sample->cpu, sample};
    }
    qsort(rows.items, rows.count, sizeof(*rows.items), compare_rows);
    return rows;
}

static int64_t distance(const struct match_row *row, int64_t time)
{
    return row->time < time ? time - row->time : row->time - time;
}

/* Returns the sample with that key that is next in time, within half a period;
 * or NULL. */
static const struct merge_guest_sample *find_row(const struct match_rows *rows,
                                                 uint32_t key, uint64_t when)
{
    const struct match_row wanted = {.time = (int64_t)when, .key = key};
    const struct match_row *best = NULL;
    size_t low = 0, high = rows->count;

    while ( low < high )
    {
        const size_t middle = low + (high - low) / 2;

        if ( compare_rows(&rows->items[middle], &wanted) < 0 )
            low = middle + 1;
        else
            high = middle;
    }
    if ( low < rows->count && rows->items[low].key == key )
        best = &rows->items[low];
    if ( low && rows->items[low - 1].key == key &&
         (!best || distance(&rows->items[low - 1], wanted.time) <
                       distance(best, wanted.time)) )
        best = &rows->items[low - 1];
    return best && distance(best, wanted.time) <= rows->half ? best->sample
                                                             : NULL;
}

/* How many of the samples that were compared are of a thread, on each side. */
struct match_thread {
    uint32_t tid;
    uint32_t zero;
    uint64_t host, guest;
};

static struct match_thread *thread_row(struct table *threads, uint32_t tid)
{
    return must(table_put(threads, &tid));
}

static uint64_t same_by_chance(const struct table *threads, uint64_t compared)
{
    double sum = 0;

    for ( size_t i = 0; i < threads->count; i++ )
    {
        const struct match_thread *thread = table_at(threads, i);

        sum += (double)thread->host * (double)thread->guest;
    }
    return compared ? (uint64_t)(sum / (double)compared) : 0;
}

struct merge_agreement merge_compare(const struct merge_host *host,
                                     const struct merge_guest *guest,
                                     uint16_t domain, int64_t offset)
{
    struct match_rows rows = make_rows(guest, offset, false);
    struct merge_agreement agreement = {0, 0, 0};
    struct table threads;

    table_init(&threads, sizeof(uint32_t), sizeof(struct match_thread));
    for ( size_t i = 0; i < host->samples.count; i++ )
    {
        const struct merge_sample *sample = &host->samples.items[i];
        const struct merge_guest_sample *found = NULL;

        if ( sample->runs && sample->domain == domain )
            found = find_row(&rows, sample->vcpu, sample->time);
        if ( !found )
            continue;
        agreement.compared++;
        agreement.same += found->tid == sample->tid;
        thread_row(&threads, sample->tid)->host++;
        thread_row(&threads, found->tid)->guest++;
    }
    agreement.chance = same_by_chance(&threads, agreement.compared);
    table_free(&threads);
    free(rows.items);
    return agreement;
}

/* Whether both are of one function that is known. */
static bool same_function(const struct merge_guest *guest, uint64_t one,
                          uint64_t other)
{
    const struct merge_place *left, *right;

    if ( !one || !other )
        return false;
    left = table_at(&guest->places, (size_t)one - 1);
    right = table_at(&guest->places, (size_t)other - 1);
    return left->key.symbol && left->key.symbol == right->key.symbol &&
           left->key.image == right->key.image &&
           left->key.start == right->key.start;
}

static bool borrow(struct merge_sample *sample, const struct merge_guest *guest,
                   const struct match_rows *rows)
{
    const struct merge_guest_sample *from = find_row(rows, sample->tid,
                                                     sample->time);
    uint32_t none, callers;

    if ( !from || !from->chain ||
         !same_function(
             guest, merge_chains_leaf(&guest->chains, sample->named, &none),
             merge_chains_leaf(&guest->chains, from->chain, &callers)) )
        return false;
    sample->callers = callers;
    sample->borrowed = from->whole;
    return callers;
}

uint64_t merge_borrow(struct merge_host *host, const struct merge_guest *guest,
                      uint16_t domain, int64_t offset)
{
    struct match_rows rows = make_rows(guest, offset, true);
    uint64_t count = 0;

    for ( size_t i = 0; i < host->samples.count; i++ )
    {
        struct merge_sample *sample = &host->samples.items[i];

        if ( sample->domain == domain && sample->leaf && sample->named &&
             sample->runs )
            count += borrow(sample, guest, &rows);
    }
    free(rows.items);
    return count;
}
