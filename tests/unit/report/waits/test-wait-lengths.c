/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "report/waits/wait-lengths.h"
#include "tests/harness.h"

static const struct time_span all = {.from = 0, .to = UINT64_MAX};
static struct wait_lengths lengths;

static void add(const struct time_span *span, uint64_t time, uint16_t vcpu,
                uint16_t by, uint8_t bucket, uint64_t count, uint64_t longest)
{
    const struct xenoprof_latency latency = {
        .domain = 5,
        .uuid = {5},
        .vcpu = vcpu,
        .by = by,
        .by_uuid = {(uint8_t)by},
        .bucket = bucket,
        .count = count,
        .sum = count * longest,
        .longest = longest,
    };

    lengths_add(&lengths, span, time, &latency);
}

TEST(half_and_nearly_all)
{
    const struct length_row *row;

    lengths_init(&lengths);
    add(&all, 1, 0, 1, 0, 50, 900);
    add(&all, 2, 0, 1, 3, 49, 7000);
    add(&all, 3, 0, 1, 20, 1, 600000000);
    CHECK_EQ(lengths.rows.count, 1);
    row = table_at(&lengths.rows, 0);
    CHECK_EQ(row->count, 100);
    CHECK_EQ(row->longest, 600000000);
    /* 50 of 100 are shorter than 1 us, 99 than 8. */
    CHECK_EQ(lengths_under(row, 50), 1000);
    CHECK_EQ(lengths_under(row, 51), 8000);
    CHECK_EQ(lengths_under(row, 99), 8000);
    /* No more than the longest. */
    CHECK_EQ(lengths_under(row, 100), 600000000);
    add(&all, 4, 0, 1, XENOPROF_LATENCY_BUCKETS - 1, 9900, 1ull << 40);
    CHECK_EQ(lengths_under(row, 50), 1ull << 40);
    lengths_free(&lengths);
}

TEST(rows_of_other_times_do_not_count)
{
    const struct time_span span = {.from = 10, .to = 20};

    lengths_init(&lengths);
    add(&span, 10, 0, 1, 0, 1, 1);
    add(&span, 21, 0, 1, 0, 1, 1);
    CHECK_EQ(lengths.rows.count, 0);
    add(&span, 11, 0, 1, 0, 1, 1);
    add(&span, 20, 0, 1, 0, 1, 1);
    CHECK_EQ(((struct length_row *)table_at(&lengths.rows, 0))->count, 2);
    lengths_free(&lengths);
}

TEST(takers_that_had_it_longest_are_first)
{
    const struct taker_row *takers[3];
    const struct length_row *row;
    struct length_row **rows;

    lengths_init(&lengths);
    add(&all, 1, 0, 1, 5, 1, 10);
    add(&all, 1, 0, 2, 5, 2, 10);
    add(&all, 1, 1, 9, 5, 100, 10);
    add(&all, 1, 0, 3, 5, 3, 10);
    add(&all, 1, 0, 4, 5, 4, 10);
    add(&all, 1, 0, 1, 6, 1, 25);
    row = table_at(&lengths.rows, 0);
    CHECK_EQ(lengths_takers(&lengths, row, takers, 3), 3);
    CHECK_EQ(takers[0]->key.by, 4);
    CHECK_EQ(takers[1]->key.by, 1);
    CHECK_EQ(takers[1]->sum, 35);
    CHECK_EQ(takers[2]->key.by, 3);
    CHECK_EQ(lengths_takers(&lengths, table_at(&lengths.rows, 1), takers, 3),
             1);
    CHECK_EQ(takers[0]->key.by, 9);
    rows = lengths_sorted(&lengths);
    CHECK(rows);
    CHECK_EQ(rows[0]->key.vcpu, 1);
    free(rows);
    lengths_free(&lengths);
}
