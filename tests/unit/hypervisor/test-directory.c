/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core-kit.h"
#include "hypervisor/directory.h"
#include "hypervisor/core.h"

static struct directory directory;

static const struct ring_name name = {.kind = XENOPROF_RING_VCPU, .domain = 5};

/* With ring 0 in it. */
static void open_with_ring(uint32_t pages)
{
    struct ring *ring;

    process_reset(1);
    CHECK(directory_open(&directory));
    CHECK_EQ(directory_add(&directory, &name, pages, &ring), 0);
}

static void close_all(void)
{
    directory_close(&directory);
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

TEST(directory_gives_the_lowest_number)
{
    struct ring *rings[4], *again;
    uint32_t changes;

    open_with_ring(1);
    for ( int i = 0; i < 4; i++ )
    {
        CHECK_EQ(directory_add(&directory, &name, 1, &rings[i]), 0);
        CHECK_EQ(rings[i]->number, i + 1);
    }
    changes = directory.status.changes;
    directory_remove(&directory, rings[1]);
    CHECK(!directory_find(&directory, 2));
    CHECK_EQ(directory.status.changes, changes + 1);
    CHECK_EQ(directory_add(&directory, &name, 1, &again), 0);
    CHECK_EQ(again->number, 2);
    CHECK_EQ(again->generation, 6);
    CHECK_EQ(directory_add(&directory, &name, 1, &again), 0);
    CHECK_EQ(again->number, 5);
    CHECK(!directory_find(&directory, XENOPROF_RINGS_MAX));
    CHECK(!directory_find(&directory, ~0ul));
    close_all();
}

TEST(directory_clears_the_index_of_a_number_used_again)
{
    struct ring *again;

    open_with_ring(1);
    CHECK_EQ(directory_add(&directory, &name, 1, &again), 0);
    *(uint64_t *)again->consumer = 4096;
    directory_remove(&directory, again);
    CHECK_EQ(directory_add(&directory, &name, 1, &again), 0);
    CHECK_EQ(*again->consumer, 0);
    close_all();
}

TEST(directory_has_a_ceiling)
{
    struct ring *more;
    unsigned int count = 1;
    int error;

    open_with_ring(256);
    while ( !(error = directory_add(&directory, &name, 256, &more)) )
        count++;
    CHECK_EQ(error, ERROR_NO_SPACE);
    CHECK_EQ(count, XENOPROF_RING_CEILING / (257 * 4096));
    close_all();
}

/* It has more rings, and more memory. */
TEST(directory_of_a_large_host_has_another)
{
    struct ring *more;
    unsigned int count = 0;
    int error;

    process_reset(XENOPROF_LARGE_HOST);
    CHECK(directory_open(&directory));
    while ( !(error = directory_add(&directory, &name, 256, &more)) )
        count++;
    CHECK_EQ(error, ERROR_NO_SPACE);
    CHECK_EQ(count, XENOPROF_RING_CEILING_LARGE / (257 * 4096));
    close_all();
}

TEST(directory_runs_out_of_numbers)
{
    struct ring *more;
    unsigned int count = 1;
    int error;

    open_with_ring(1);
    while ( !(error = directory_add(&directory, &name, 1, &more)) )
        count++;
    CHECK_EQ(error, ERROR_NO_SPACE);
    CHECK(count == XENOPROF_RINGS_MAX - 1 ||
          directory.bytes + ring_bytes(1) > XENOPROF_RING_CEILING);
    /* All tables are there, each ring is found through them. */
    for ( uint32_t number = 0; number < count; number++ )
    {
        const uint64_t *table = process_page(
            directory.status.table_mfn[number / XENOPROF_TABLE_ENTRIES]);
        const struct xenoprof_ring_page *page = process_page(
            table[number % XENOPROF_TABLE_ENTRIES]);

        CHECK_EQ(page->ring, number);
    }
    close_all();
}

TEST(directory_without_memory_holds_nothing)
{
    struct ring *more;

    for ( int pieces = 0; pieces < 6; pieces++ )
    {
        process_reset(1);
        process_host()->memory_left = pieces;
        if ( directory_open(&directory) )
        {
            int error = directory_add(&directory, &name, 4, &more);

            CHECK_EQ(error, ERROR_NO_MEMORY);
            directory_close(&directory);
        }
        CHECK_EQ(process_host()->allocated, 0);
        CHECK_EQ(process_host()->shared, 0);
    }
}
