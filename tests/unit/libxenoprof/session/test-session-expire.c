/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of a largest size or age keeps its newest samples, and counts the
 * others, also after its writer was killed. */
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

#define SECOND 1000000000ull
#define AGE    (60 * SECOND)

static uint64_t made; /* samples, of all calls of put_at() */

/* A block of a second, whose sample and counters have that time. */
static void put_at(struct session_kit *kit, uint64_t time)
{
    struct xenoprof_counters counters = {.due = time};
    struct xenoprof_ring_info ring = kit_ring(1, 100 * ++made);

    kit_sample(kit, time,
               kit_place(kit, 1, XENOPROF_MODE_KERNEL, made * 7919, "f"));
    KIT_OK(kit, xenoprof_writer_counters(kit->writer, time, &counters));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, made, 0, 0));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
}

static uint64_t first_time(struct session_kit *kit)
{
    struct xenoprof_session *session;
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_CLOSED};

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    while ( item.kind != XENOPROF_ITEM_SAMPLE )
        KIT_OK(kit, xenoprof_session_next(session, &item));
    xenoprof_session_close(session);
    return item.time;
}

/* All are there or counted, none that is younger was dropped, and none that is
 * older by more than a file. */
static void check_age(struct session_kit *kit, uint64_t now)
{
    struct kit_counts counts;
    uint64_t first = first_time(kit);

    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples + xenoprof_writer_expired(kit->writer), made);
    CHECK_EQ(counts.damages, 0);
    CHECK(now - first <= AGE + AGE / 4);
    if ( xenoprof_writer_expired(kit->writer) )
        CHECK(now - first >= AGE - SECOND);
}

TEST(files_of_an_age_are_dropped_and_counted)
{
    struct session_kit *kit = kit_create();

    made = 0;
    xenoprof_writer_max_age(kit->writer, AGE);
    for ( uint64_t second = 1; second <= 300; second++ )
    {
        put_at(kit, second * SECOND);
        check_age(kit, second * SECOND);
    }
    CHECK(xenoprof_writer_expired(kit->writer) > 200);
    kit_destroy(kit);
}

TEST(another_writer_goes_on_to_drop_by_age)
{
    struct session_kit *kit = kit_create();

    made = 0;
    for ( uint64_t second = 1; second <= 400; second++ )
    {
        if ( second % 45 == 1 )
        {
            kit_stop(kit);
            kit_go_on(kit);
            xenoprof_writer_max_age(kit->writer, AGE);
        }
        put_at(kit, second * SECOND);
        check_age(kit, second * SECOND);
    }
    CHECK(xenoprof_writer_expired(kit->writer) > 250);
    kit_destroy(kit);
}

/* After a pause longer than the age the current file alone is left, and what it
 * says of what was before. */
TEST(all_files_but_the_current_one_may_be_too_old)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    made = 0;
    xenoprof_writer_max_age(kit->writer, AGE);
    for ( uint64_t second = 1; second <= 40; second++ )
        put_at(kit, second * SECOND);
    put_at(kit, 1000 * SECOND);
    put_at(kit, 1020 * SECOND);
    CHECK(first_time(kit) >= 32 * SECOND);
    put_at(kit, 1100 * SECOND);
    CHECK(first_time(kit) >= 1000 * SECOND);
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples + xenoprof_writer_expired(kit->writer), made);
    kit_stop(kit);
    kit_go_on(kit);
    xenoprof_writer_max_age(kit->writer, AGE);
    put_at(kit, 1101 * SECOND);
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples + xenoprof_writer_expired(kit->writer), made);
    kit_destroy(kit);
}

/* A sample's time may be nonsense: it neither drops what is young nor keeps
 * what is old.  A clock that goes back drops nothing. */
TEST(a_clock_that_jumps_drops_nothing_young)
{
    struct session_kit *kit = kit_create();
    uint64_t expired;

    made = 0;
    xenoprof_writer_max_age(kit->writer, AGE);
    for ( uint64_t second = 1; second <= 200; second++ )
    {
        if ( second == 50 || second == 149 )
        {
            kit_sample(kit, 1ull << 60, 0);
            made++;
        }
        if ( second == 53 || second == 150 )
        {
            kit_stop(kit);
            kit_go_on(kit);
            xenoprof_writer_max_age(kit->writer, AGE);
        }
        put_at(kit, second * SECOND);
    }
    check_age(kit, 200 * SECOND);
    expired = xenoprof_writer_expired(kit->writer);
    CHECK(expired > 100);
    for ( uint64_t second = 100; second <= 130; second++ )
        put_at(kit, second * SECOND);
    CHECK_EQ(xenoprof_writer_expired(kit->writer), expired);
    kit_destroy(kit);
}

/* Killed at once after each step: what is left is whole, and all is counted. */
TEST(a_writer_that_is_killed_as_files_are_dropped_counts_all)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    made = 0;
    for ( uint64_t second = 1; second <= 250; second += 2 )
    {
        xenoprof_writer_max_age(kit->writer, AGE);
        put_at(kit, second * SECOND);
        kit_stop(kit);
        kit_go_on(kit);
        kit_count(kit, kit->folder, &counts);
        CHECK_EQ(counts.samples + xenoprof_writer_expired(kit->writer), made);
    }
    CHECK(xenoprof_writer_expired(kit->writer) > 50);
    kit_destroy(kit);
}
