/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/timeline.h"
#include "tests/harness.h"

#define MS 1000000ull

static uint64_t sum(const struct timeline *timeline)
{
    uint64_t sum = 0;

    for ( size_t i = 0; i < timeline->count; i++ )
        sum += timeline->moments[i].count;
    return sum;
}

TEST(timeline_gathers_only_what_is_wanted)
{
    struct timeline timeline = {.wanted = false};

    timeline_add(&timeline, 5, 0);
    CHECK_EQ(timeline.count, 0);
    timeline_free(&timeline);
}

TEST(timeline_begins_where_it_is_told)
{
    struct timeline timeline = {.wanted = true};

    timeline_begin(&timeline, 3100 * MS + 1);
    timeline_begin(&timeline, 3500 * MS);
    timeline_add(&timeline, 3103 * MS, 7);
    timeline_add(&timeline, 40 * MS, 8);
    CHECK_EQ(timeline.begin, 3100 * MS + 1);
    CHECK_EQ(timeline.origin, 3000 * MS);
    CHECK_EQ(timeline.width, MS);
    CHECK_EQ(timeline.moments[0].bin, 103);
    CHECK_EQ(timeline.moments[0].cell, 7);
    CHECK_EQ(timeline.moments[1].bin, 0);
    CHECK_EQ(timeline.bins, 104);
    CHECK_EQ(timeline_over(&timeline), 100);
    CHECK_EQ(timeline_start(&timeline), 3100 * MS);
    timeline_free(&timeline);
}

/* A sample's bin must not depend on how long the session was by then. */
TEST(timeline_widens_as_time_goes_on)
{
    static const uint64_t widths[] = {1, 2, 10, 20, 100, 200, 1000, 2000};
    struct timeline timeline = {.wanted = true};

    timeline_begin(&timeline, 0);
    timeline_add(&timeline, 12345 * MS, 1);
    for ( size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++ )
    {
        uint64_t last = (TIMELINE_BINS * widths[i] - 1) * MS;

        timeline_add(&timeline, last, 2);
        CHECK_EQ(timeline.width, widths[i] * MS);
        CHECK_EQ(timeline.bins, TIMELINE_BINS);
        CHECK_EQ(timeline.moments[0].bin, 12345 / widths[i]);
        CHECK_EQ(timeline.moments[timeline.count - 1].bin, TIMELINE_BINS - 1);
    }
    timeline_free(&timeline);
}

TEST(timeline_holds_only_so_much)
{
    struct timeline timeline = {.wanted = true, .most = 2000000};
    const uint64_t samples = 6000000;

    /* None is like another, until bins are wide. */
    timeline_begin(&timeline, 0);
    for ( uint64_t i = 0; i < samples; i++ )
        timeline_add(&timeline, i / 400 * MS, (uint32_t)(i % 100000));
    CHECK_EQ(sum(&timeline), samples);
    CHECK(timeline.count <= timeline.most);
    CHECK(timeline.width > MS);
    timeline_free(&timeline);
}

/* Samples of so many cells in turn, 400 each ms, in 18,750 bins of 1 ms. */
static void finish_with(uint32_t cells, struct timeline *ret)
{
    const uint64_t samples = 3 * (uint64_t)TIMELINE_KEPT;
    uint32_t bin = 0;

    *ret = (struct timeline){.wanted = true};
    timeline_begin(ret, 0);
    for ( uint64_t i = 0; i < samples; i++ )
        timeline_add(ret, i / 400 * MS, (uint32_t)(i % cells));
    timeline_finish(ret);
    CHECK_EQ(sum(ret), samples);
    CHECK(!ret->latest && ret->room <= ret->count + 1);
    for ( size_t i = 0; i < ret->count; i++ )
    {
        CHECK(ret->moments[i].bin >= bin);
        bin = ret->moments[i].bin;
    }
}

/* All that is held is little more than what is kept. */
TEST(timeline_widens_before_it_takes_memory)
{
    struct timeline timeline = {.wanted = true};

    timeline_begin(&timeline, 0);
    for ( uint64_t i = 0; i < 3 * (uint64_t)TIMELINE_KEPT; i++ )
    {
        timeline_add(&timeline, i / 400 * MS, (uint32_t)(i % 50000));
        CHECK(timeline.room <= TIMELINE_KEPT / 4 * 5);
    }
    timeline_free(&timeline);
}

/* With bins of 200 ms, 94 of them, it would be too much for a page. */
TEST(timeline_keeps_less_at_last)
{
    struct timeline timeline;

    finish_with(TIMELINE_KEPT / 40, &timeline);
    CHECK(timeline.count <= TIMELINE_KEPT);
    CHECK_EQ(timeline.width, 1000 * MS);
    CHECK_EQ(timeline.bins, 19);
    timeline_free(&timeline);
}

/* With ten bins it is too much, too: fewer would show nothing. */
TEST(timeline_keeps_ten_bins)
{
    struct timeline timeline;

    finish_with(TIMELINE_KEPT / 8, &timeline);
    CHECK(timeline.count > TIMELINE_KEPT);
    CHECK_EQ(timeline.width, 2000 * MS);
    CHECK_EQ(timeline.bins, 10);
    timeline_free(&timeline);
}

/* No width makes them few: then at least their times are exact. */
TEST(timeline_of_too_many_cells_keeps_its_bins)
{
    struct timeline timeline;

    finish_with(TIMELINE_KEPT, &timeline);
    CHECK_EQ(timeline.width, MS);
    CHECK_EQ(timeline.count, 3 * TIMELINE_KEPT);
    timeline_free(&timeline);
}

TEST(timeline_counts_what_is_alike_together)
{
    struct timeline timeline = {.wanted = true};
    const uint64_t samples = 5000000;
    uint64_t counts[1000] = {0};

    timeline_begin(&timeline, 0);
    for ( uint64_t i = 0; i < samples; i++ )
        timeline_add(&timeline, i % 1000 * MS, (uint32_t)(i % 10));
    CHECK_EQ(sum(&timeline), samples);
    /* 1000 bins, one cell in each: room for all samples was never needed. */
    CHECK(timeline.room <= 1u << 20);
    for ( size_t i = 0; i < timeline.count; i++ )
    {
        CHECK_EQ(timeline.moments[i].cell, timeline.moments[i].bin % 10);
        counts[timeline.moments[i].bin] += timeline.moments[i].count;
    }
    for ( size_t i = 0; i < 1000; i++ )
        CHECK_EQ(counts[i], samples / 1000);
    timeline_free(&timeline);
}

TEST(timeline_comes_in_the_order_of_time)
{
    struct timeline timeline = {.wanted = true};
    const uint32_t samples = 10000;
    uint32_t before = 0;
    uint64_t cells = 0;

    timeline_begin(&timeline, 0);
    for ( uint32_t i = 0; i < samples; i++ )
        timeline_add(&timeline, i * 7919ull % samples * MS, i);
    timeline_finish(&timeline);
    CHECK_EQ(timeline.count, samples);
    for ( size_t i = 0; i < timeline.count; i++ )
    {
        const struct moment *moment = &timeline.moments[i];

        CHECK(moment->bin >= before);
        CHECK_EQ(moment->bin, moment->cell * 7919ull % samples);
        before = moment->bin;
        cells += moment->cell;
    }
    CHECK_EQ(cells, samples * (samples - 1ull) / 2);
    timeline_free(&timeline);
}

/* A moment has no room for all of them. */
TEST(timeline_counts_many_samples_of_one_cell)
{
    struct timeline timeline = {.wanted = true};
    const uint64_t samples = 40 * (uint64_t)MOMENT_MOST + 7;

    timeline_begin(&timeline, 0);
    for ( uint64_t i = 0; i < samples; i++ )
        timeline_add(&timeline, MS, 3);
    CHECK_EQ(sum(&timeline), samples);
    CHECK(timeline.room <= 1u << 20);
    timeline_free(&timeline);
}

/* As many as there are, and not at the span's end; few moments of many. */
TEST(timeline_spreads_samples_over_a_span)
{
    const struct time_span second = {5000 * MS, 6000 * MS};
    struct timeline timeline = {.wanted = true};

    timeline_begin(&timeline, 5000 * MS);
    timeline_spread(&timeline, &second, 1, 4);
    CHECK_EQ(timeline.count, 4);
    CHECK_EQ(timeline.moments[3].bin, 750);
    timeline_spread(&timeline, &second, 2, 12345);
    CHECK_EQ(sum(&timeline), 4 + 12345);
    CHECK(timeline.count <= 4 + 100);
    CHECK_EQ(timeline.bins, 991);
    timeline_spread(&timeline, &second, 2, UINT64_MAX);
    CHECK_EQ(sum(&timeline), 4 + 12345 + 100ull * MOMENT_MOST);
    timeline_free(&timeline);
}

TEST(timeline_without_samples_is_in_order)
{
    struct timeline timeline = {.wanted = true};

    timeline_finish(&timeline);
    CHECK_EQ(timeline.count, 0);
    timeline_free(&timeline);
}
