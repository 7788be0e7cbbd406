/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait-lengths.h"

#include "base/must.h"

#include <string.h>

void lengths_init(struct wait_lengths *lengths)
{
    table_init(&lengths->rows, sizeof(struct length_key),
               sizeof(struct length_row));
    table_init(&lengths->takers, sizeof(struct taker_key),
               sizeof(struct taker_row));
}

void lengths_free(struct wait_lengths *lengths)
{
    table_free(&lengths->rows);
    table_free(&lengths->takers);
}

static void add_taker(struct wait_lengths *lengths, struct length_row *row,
                      const struct xenoprof_latency *latency)
{
    struct taker_key key = {.by = latency->by,
                            .row = (uint32_t)table_index(&lengths->rows, row)};
    size_t known = lengths->takers.count;
    struct taker_row *taker;

    memcpy(key.uuid, latency->by_uuid, sizeof(key.uuid));
    taker = must(table_put(&lengths->takers, &key));
    taker->sum += latency->sum;
    if ( lengths->takers.count > known )
    {
        taker->next = row->taker;
        row->taker = (uint32_t)known + 1;
    }
}

void lengths_add(struct wait_lengths *lengths, const struct time_span *span,
                 uint64_t time, const struct xenoprof_latency *latency)
{
    struct length_key key = {
        .domain = latency->domain, .vcpu = latency->vcpu, .why = latency->why};
    struct length_row *row;

    if ( time <= span->from || time > span->to )
        return;
    memcpy(key.uuid, latency->uuid, sizeof(key.uuid));
    row = must(table_put(&lengths->rows, &key));
    row->count += latency->count;
    row->sum += latency->sum;
    row->buckets[latency->bucket] += latency->count;
    if ( latency->longest > row->longest )
        row->longest = latency->longest;
    add_taker(lengths, row, latency);
}

uint64_t lengths_under(const struct length_row *row, unsigned int percent)
{
    uint64_t shorter = 0, end = 0;

    for ( unsigned int i = 0; i < XENOPROF_LATENCY_BUCKETS - 1; i++ )
    {
        shorter += row->buckets[i];
        end = 1000ull << i;
        if ( (unsigned __int128)shorter * 100 >=
             (unsigned __int128)row->count * percent )
            return end < row->longest ? end : row->longest;
    }
    return row->longest;
}

static int compare_length_rows(const void *left, const void *right)
{
    const struct length_row *a = *(struct length_row *const *)left;
    const struct length_row *b = *(struct length_row *const *)right;

    if ( a->sum != b->sum )
        return a->sum < b->sum ? 1 : -1;
    return memcmp(&a->key, &b->key, sizeof(a->key));
}

struct length_row **lengths_sorted(const struct wait_lengths *lengths)
{
    return must(table_sorted(&lengths->rows, compare_length_rows));
}

static bool is_larger_taker(const struct taker_row *a,
                            const struct taker_row *b)
{
    return a->sum > b->sum ||
           (a->sum == b->sum && memcmp(&a->key, &b->key, sizeof(a->key)) < 0);
}

size_t lengths_takers(const struct wait_lengths *lengths,
                      const struct length_row *row,
                      const struct taker_row **ret, size_t most)
{
    const struct taker_row *taker;
    size_t count = 0;

    for ( uint32_t next = row->taker; next; next = taker->next )
    {
        size_t at = count;

        taker = table_at(&lengths->takers, next - 1);
        while ( at && is_larger_taker(taker, ret[at - 1]) )
            at--;
        if ( at == most )
            continue;
        count += count < most;
        memmove(ret + at + 1, ret + at, (count - at - 1) * sizeof(*ret));
        ret[at] = taker;
    }
    return count;
}
