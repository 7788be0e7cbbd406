/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of a largest size keeps its newest samples, and counts the others,
 * also after its writer was killed. */
#include <stdio.h>
#include <sys/stat.h>

#include "session-kit.h"

#define LARGEST 40000u

/* One block with a sample, as the daemon writes it. */
static void put_block(struct session_kit *kit, uint64_t number)
{
    struct xenoprof_ring_info ring = kit_ring(1, 100 * number);

    kit_sample(kit, number * 1000000007,
               kit_place(kit, 1, XENOPROF_MODE_KERNEL, number * 7919, "f"));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, number, 0, 0));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
}

/* The same of rings that end after each sample. */
static void put_last_block(struct session_kit *kit, uint64_t number)
{
    struct xenoprof_ring_info ring = kit_ring((uint32_t)number, 100);

    kit_sample(kit, number * 1000000007,
               kit_place(kit, 1, XENOPROF_MODE_KERNEL, number * 7919, "f"));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, 1, 0, 0));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_writer_ring_ended(kit->writer, &ring));
}

static uint64_t size_on_disk(struct session_kit *kit)
{
    struct stat about;
    uint64_t size = 0;

    for ( unsigned int i = 0; i < 1000; i++ )
        if ( !stat(kit_file(kit, i), &about) )
            size += (uint64_t)about.st_size;
    return size;
}

TEST(the_oldest_files_are_dropped_and_counted)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    xenoprof_writer_max_size(kit->writer, LARGEST);
    for ( uint64_t number = 1; number <= 300; number++ )
    {
        put_block(kit, number);
        CHECK(size_on_disk(kit) <= LARGEST + 3000);
        kit_count(kit, kit->folder, &counts);
        CHECK_EQ(counts.samples + xenoprof_writer_expired(kit->writer), number);
        CHECK_EQ(counts.damages, 0);
    }
    CHECK(xenoprof_writer_expired(kit->writer) > 100);
    CHECK(counts.samples > 10);
    kit_destroy(kit);
}

TEST(another_writer_goes_on_to_drop)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    for ( uint64_t number = 1; number <= 300; number++ )
    {
        if ( number % 20 == 1 )
        {
            kit_stop(kit);
            kit_go_on(kit);
            xenoprof_writer_max_size(kit->writer, LARGEST);
        }
        put_block(kit, number);
        kit_count(kit, kit->folder, &counts);
        CHECK_EQ(counts.samples + xenoprof_writer_expired(kit->writer), number);
    }
    CHECK(size_on_disk(kit) <= LARGEST + 3000);
    CHECK(xenoprof_writer_expired(kit->writer) > 100);
    kit_destroy(kit);
}

TEST(what_is_dropped_of_rings_that_ended_is_counted)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    for ( uint64_t number = 1; number <= 300; number++ )
    {
        if ( number % 40 == 1 )
        {
            kit_stop(kit);
            kit_go_on(kit);
            xenoprof_writer_max_size(kit->writer, LARGEST);
        }
        put_last_block(kit, number);
        kit_count(kit, kit->folder, &counts);
        CHECK_EQ(counts.samples + xenoprof_writer_expired(kit->writer), number);
    }
    CHECK(size_on_disk(kit) <= LARGEST + 3000);
    CHECK(xenoprof_writer_expired(kit->writer) > 100);
    kit_destroy(kit);
}

TEST(without_a_largest_size_all_files_stay)
{
    struct session_kit *kit = kit_create();

    xenoprof_writer_rotate_at(kit->writer, 200);
    for ( uint64_t number = 1; number <= 50; number++ )
        put_block(kit, number);
    CHECK_EQ(xenoprof_writer_expired(kit->writer), 0);
    CHECK(size_on_disk(kit) > 5000);
    kit_destroy(kit);
}
