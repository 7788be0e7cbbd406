/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample-log.h"

#include "base/id-table.h"
#include "base/must.h"
#include "base/scope.h"
#include "base/sort-rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_WORDS (sizeof(struct logged_sample) / sizeof(uint32_t))
#define AHEAD        16u /* samples for whose cells memory is asked at once */

void sample_log_free(struct sample_log *log)
{
    vector_free(log);
    vector_free(&log->eras);
    vector_free(&log->large);
}

/* Returns the era of the sample that is added. */
static struct log_era *put_era(struct sample_log *log, uint32_t upper)
{
    const size_t count = log->eras.count;
    struct log_era *era = count ? &log->eras.items[count - 1] : NULL;

    if ( era && era->upper == upper && era->count < UINT32_MAX )
        return era;
    era = must(vector_add(&log->eras));
    *era = (struct log_era){.first = log->count, .upper = upper};
    return era;
}

void sample_log_add(struct sample_log *log, uint64_t time, uint32_t cell,
                    double weight)
{
    struct log_era *era = put_era(log, (uint32_t)(time >> 32));
    struct logged_sample *sample = must(vector_add(log));

    era->count++;
    sample->time = (uint32_t)time;
    sample->cell = cell;
    sample->weight = (float)weight;
}

void sample_log_move(struct sample_log *log, const uint32_t *moved)
{
    size_t kept = 0;

    for ( size_t i = 0; i < log->eras.count; i++ )
    {
        struct log_era *era = &log->eras.items[i];
        const size_t end = era->first + era->count;
        size_t at = era->first;

        era->first = kept;
        for ( ; at < end; at++ )
        {
            struct logged_sample sample = log->items[at];

            if ( !moved[sample.cell] )
                continue;
            sample.cell = moved[sample.cell] - 1;
            log->items[kept++] = sample;
        }
        era->count = (uint32_t)(kept - era->first);
    }
    log->count = kept;
}

static int compare_eras(const void *left, const void *right)
{
    const struct log_era *a = left, *b = right;

    if ( a->upper != b->upper )
        return a->upper < b->upper ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Puts eras in their order, with their samples: there are several of one time
 * where samples of several pCPUs came one after the other. */
static void order_eras(struct sample_log *log)
{
    struct log_era *eras = log->eras.items;
    struct logged_sample *ordered = must(
        calloc(log->count + 1, sizeof(*ordered)));
    size_t joined = 0, at = 0;

    qsort(eras, log->eras.count, sizeof(*eras), compare_eras);
    for ( size_t i = 0; i < log->eras.count; i++ )
    {
        struct log_era era = eras[i];
        struct log_era *last = joined ? &eras[joined - 1] : NULL;

        memcpy(ordered + at, log->items + era.first,
               era.count * sizeof(*ordered));
        era.first = at;
        at += era.count;
        if ( last && last->upper == era.upper &&
             last->count <= UINT32_MAX - era.count )
            last->count += era.count;
        else
            eras[joined++] = era;
    }
    log->eras.count = joined;
    free(log->items);
    log->items = ordered;
    log->room = log->count + 1;
}

void sample_log_finish(struct sample_log *log)
{
    if ( !log->count )
        return;
    order_eras(log);
    for ( size_t i = 0; i < log->eras.count; i++ )
    {
        const struct log_era *era = &log->eras.items[i];

        must_do(sort_rows(&log->items[era->first].time, era->count,
                          SAMPLE_WORDS, 1));
    }
}

/* What samples of a cell were given so far, of all that it has. */
struct cell_given {
    double weights, weight; /* of all its samples; of those that came */
    uint64_t amount;
};

static uint64_t give(struct cell_given *given, uint64_t time, double weight)
{
    const uint64_t before = given->amount;

    given->weight += weight;
    given->amount = given->weight < given->weights
                        ? (uint64_t)llround((double)time *
                                            (given->weight / given->weights))
                        : time;
    return given->amount - before;
}

static void set_amount(struct sample_log *log, size_t index, uint64_t amount)
{
    struct large_amount *large;

    log->items[index].amount = amount < UINT32_MAX ? (uint32_t)amount
                                                   : UINT32_MAX;
    if ( amount < UINT32_MAX )
        return;
    large = must(vector_add(&log->large));
    *large = (struct large_amount){index, amount};
}

void sample_log_share(struct sample_log *log, size_t count,
                      uint64_t (*time_of)(const void *argument, size_t cell),
                      const void *argument)
{
    struct cell_given *given SCOPE_FREE = must(
        calloc(count + 1, sizeof(*given)));

    for ( size_t i = 0; i < log->count; i++ )
        given[log->items[i].cell].weights += (double)log->items[i].weight;
    for ( size_t i = 0; i < log->count; i++ )
    {
        const struct logged_sample *sample = &log->items[i];

        if ( i + AHEAD < log->count )
            memory_expect(&given[log->items[i + AHEAD].cell]);
        set_amount(log, i,
                   give(&given[sample->cell], time_of(argument, sample->cell),
                        (double)sample->weight));
    }
}

/* The last that does not begin behind it. */
static size_t find_era(const struct sample_log *log, size_t index)
{
    const struct log_era *eras = log->eras.items;
    size_t first = 0, count = log->eras.count;

    while ( count > 1 )
    {
        const size_t half = count / 2;

        first = eras[first + half].first <= index ? first + half : first;
        count -= half;
    }
    return first;
}

uint64_t sample_log_time(const struct sample_log *log, size_t index,
                         size_t *era)
{
    const struct log_era *eras = log->eras.items;

    if ( index - eras[*era].first >= eras[*era].count )
        *era = find_era(log, index);
    return (uint64_t)eras[*era].upper << 32 | log->items[index].time;
}

uint64_t sample_log_large(const struct sample_log *log, size_t index)
{
    const struct large_amount *large = log->large.items;
    size_t first = 0, count = log->large.count;

    while ( count > 1 )
    {
        const size_t half = count / 2;

        first = large[first + half].sample <= index ? first + half : first;
        count -= half;
    }
    return large[first].amount;
}
