/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/time/sample-log.h"
#include "tests/harness.h"

#include <string.h>

#define SAMPLES 3000u
#define CELLS   7u

struct made_sample {
    uint64_t time;
    uint32_t cell;
};

/* As several pCPUs' samples come, one after the other, of which each goes
 * forward in time, and some of which have the same; beside the upper half's
 * change. */
static uint64_t made_time(uint32_t number)
{
    const uint64_t begin = 7ull << 32;

    return begin - 1000 + number % 4 * 3 + number / 1000 * 700 +
           (number > SAMPLES / 2 ? (uint64_t)(number % 5) << 32 : 0);
}

static void add_made(struct sample_log *log, struct made_sample *made)
{
    for ( uint32_t i = 0; i < SAMPLES; i++ )
    {
        made[i] = (struct made_sample){made_time(i), i % CELLS};
        sample_log_add(log, made[i].time, made[i].cell, i % 3 + 1);
    }
}

/* Those of the same time stay in their order. */
static void sort_made(struct made_sample *made, size_t count)
{
    for ( size_t i = 1; i < count; i++ )
    {
        const struct made_sample sample = made[i];
        size_t at = i;

        for ( ; at > 0 && made[at - 1].time > sample.time; at-- )
            made[at] = made[at - 1];
        made[at] = sample;
    }
}

static void check_samples(const struct sample_log *log,
                          const struct made_sample *made, size_t count)
{
    size_t era = 0, other = 0;

    CHECK_EQ(log->count, count);
    for ( size_t i = 0; i < count; i++ )
    {
        const size_t behind = (i * 7919) % count; /* in no order */

        CHECK_EQ(sample_log_time(log, i, &era), made[i].time);
        CHECK_EQ(sample_log_time(log, behind, &other), made[behind].time);
        CHECK_EQ(log->items[i].cell, made[i].cell);
    }
}

TEST(samples_come_in_the_order_of_their_times)
{
    struct sample_log log = {.wanted = true};
    struct made_sample made[SAMPLES];

    add_made(&log, made);
    check_samples(&log, made, SAMPLES);
    sort_made(made, SAMPLES);
    sample_log_finish(&log);
    check_samples(&log, made, SAMPLES);
    sample_log_free(&log);
}

TEST(samples_go_with_their_cells)
{
    /* Indexes and 1; what was of cell 1 is gone. */
    const uint32_t moved[CELLS] = {7, 0, 5, 4, 3, 2, 1};
    struct sample_log log = {.wanted = true};
    struct made_sample made[SAMPLES];
    size_t count = 0;

    add_made(&log, made);
    sample_log_move(&log, moved);
    for ( size_t i = 0; i < SAMPLES; i++ )
    {
        if ( !moved[made[i].cell] )
            continue;
        made[count] = made[i];
        made[count].cell = moved[made[i].cell] - 1;
        count++;
    }
    check_samples(&log, made, count);
    sort_made(made, count);
    sample_log_finish(&log);
    check_samples(&log, made, count);
    sample_log_free(&log);
}

static uint64_t time_of(const void *times, size_t cell)
{
    return ((const uint64_t *)times)[cell];
}

TEST(samples_have_all_that_their_cells_have)
{
    const uint64_t times[CELLS] = {1,  0,          1000,      UINT64_MAX / 2,
                                   77, 1ull << 40, UINT32_MAX};
    struct sample_log log = {.wanted = true};
    struct made_sample made[SAMPLES];
    uint64_t sums[CELLS] = {0};

    add_made(&log, made);
    sample_log_finish(&log);
    sample_log_share(&log, CELLS, time_of, times);
    for ( size_t i = 0; i < SAMPLES; i++ )
        sums[log.items[i].cell] += sample_log_amount(&log, i);
    for ( size_t i = 0; i < CELLS; i++ )
        CHECK_EQ(sums[i], times[i]);
    sample_log_free(&log);
}

TEST(a_sample_has_its_part_of_its_cell)
{
    const uint64_t times[2] = {4ull * UINT32_MAX, 10};
    struct sample_log log = {.wanted = true};

    for ( uint32_t i = 0; i < 4; i++ )
        sample_log_add(&log, 10 + i, i % 2, i < 2 ? 1 : 3);
    sample_log_finish(&log);
    sample_log_share(&log, 2, time_of, times);
    CHECK_EQ(sample_log_amount(&log, 0), UINT32_MAX);
    CHECK_EQ(sample_log_amount(&log, 2), 3ull * UINT32_MAX);
    CHECK_EQ(sample_log_amount(&log, 1), 3); /* 2.5 */
    CHECK_EQ(sample_log_amount(&log, 3), 7);
    sample_log_free(&log);
}

TEST(no_sample_is_none)
{
    struct sample_log log = {.wanted = true};

    sample_log_finish(&log);
    sample_log_share(&log, 0, time_of, NULL);
    CHECK_EQ(log.count, 0);
    sample_log_free(&log);
}
