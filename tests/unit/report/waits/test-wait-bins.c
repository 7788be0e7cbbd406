/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "report/waits/wait-bins.h"
#include "tests/harness.h"

#define SECOND 1000000000ull

static struct wait_bins bins;

static void begin(void)
{
    wait_bins_init(&bins);
    bins.wanted = true;
}

/* So much of a second that ends then is running, and the rest blocked. */
static void add_second(uint32_t domain, uint64_t end, uint64_t running)
{
    const struct vcpu_times times = {
        .span = SECOND, .running = running, .blocked = SECOND - running};

    wait_bins_add(&bins, domain, end, &times);
}

TEST(wait_bins_are_kept_only_if_wanted)
{
    wait_bins_init(&bins);
    add_second(0, 5 * SECOND, 1);
    CHECK_EQ(bins.bins.count, 0);
    wait_bins_free(&bins);
}

TEST(wait_bins_are_of_the_second_that_most_of_the_time_is_in)
{
    struct wait_bin *sorted;

    begin();
    add_second(1, 5 * SECOND, 10);
    add_second(1, 5 * SECOND + SECOND / 4, 20);
    add_second(1, 5 * SECOND + SECOND * 3 / 4, 40);
    add_second(0, 9 * SECOND, 80);
    sorted = wait_bins_sorted(&bins);
    CHECK_EQ(bins.bins.count, 3);
    CHECK_EQ(sorted[0].key.whose, 0);
    CHECK_EQ(sorted[0].key.bin, 8);
    CHECK_EQ(sorted[0].times.running, 80);
    CHECK_EQ(sorted[1].key.bin, 4);
    CHECK_EQ(sorted[1].times.running, 30);
    CHECK_EQ(sorted[1].times.span, 2 * SECOND);
    CHECK_EQ(sorted[2].key.bin, 5);
    CHECK_EQ(sorted[2].times.running, 40);
    free(sorted);
    wait_bins_free(&bins);
}

TEST(wait_bins_become_wider_and_lose_nothing)
{
    enum { SECONDS = 1000 };
    uint64_t running = 0, span = 0;

    begin();
    bins.most = 10;
    for ( uint64_t i = 1; i <= SECONDS; i++ )
        add_second(0, i * SECOND, i);
    CHECK(bins.bins.count <= bins.most);
    CHECK_EQ(bins.width, 128 * SECOND);
    for ( size_t i = 0; i < bins.bins.count; i++ )
    {
        const struct wait_bin *bin = table_at(&bins.bins, i);

        running += bin->times.running;
        span += bin->times.span;
    }
    CHECK_EQ(running, SECONDS * (SECONDS + 1) / 2);
    CHECK_EQ(span, SECONDS * SECOND);
    wait_bins_free(&bins);
}

/* A session may say any time. */
TEST(wait_bins_of_the_end_of_time)
{
    begin();
    add_second(0, UINT64_MAX, 1);
    for ( uint32_t domain = 1; domain < 20; domain++ )
        add_second(domain, 1, domain);
    CHECK_EQ(bins.bins.count, 20);
    wait_bins_free(&bins);
}
