/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session through rotation, a crash of its writer, and a full disk. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "session-kit.h"

static const uint8_t uuid[16] = {9};

static void know_something(struct session_kit *kit)
{
    struct xenoprof_counters counters = {.made = 5};
    struct xenoprof_ring_info ring = kit_ring(1, 100);

    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 1, "sampler", "nmi"));
    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 2, "sampler", "timer"));
    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 2, "sampler", "timer"));
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 3, 5, uuid, "web", "passive"));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, 50, 2));
    KIT_OK(kit, xenoprof_writer_counters(kit->writer, 4, &counters));
}

#define KNOWN_RING                                                             \
    "ring 1.1 who 5 3 kind 2 state 1 size 4096 uuid "                          \
    "05000000000000000000000000000000 100 120 90 60 55 50 2 lost 1 2 3 4\n"
#define KNOWN                                                                  \
    "attribute 2 sampler=timer\n"                                              \
    "domain 3 5 09000000000000000000000000000000 web passive\n" KNOWN_RING     \
    "counters 4 0 0 0 5 0 0 0 0 lost\n"

static void file_is(struct session_kit *kit, unsigned int number,
                    const char *wanted)
{
    char *text = kit_read(kit, kit_file(kit, number));

    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(every_file_begins_with_what_is_known)
{
    struct session_kit *kit = kit_create();
    uint32_t place = kit_place(kit, 5, 1, 0x100, "f"), stack;
    struct xenoprof_stored sample = {.time = 7, .mode = 1, .weight = 1};

    know_something(kit);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    KIT_OK(kit, xenoprof_writer_stack(kit->writer, (uint32_t[]){place, place},
                                      2, &stack));
    sample.place = place;
    sample.stack = stack;
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    file_is(
        kit, 0,
        "attribute 1 sampler=nmi\nattribute 2 sampler=timer\n"
        "domain 3 5 09000000000000000000000000000000 web passive\n" KNOWN_RING
        "counters 4 0 0 0 5 0 0 0 0 lost\nend torn 0\n");
    file_is(kit, 1,
            KNOWN "place 1 who 5 1 at 100 vmlinux f 100\n"
                  "stack 1: 1 1\n"
                  "sample 7 place 1 stack 1 period 0 marks 0 who 0 0 0 mode 1 "
                  "weight 1\n"
                  "end torn 0\n");
    kit_destroy(kit);
}

TEST(counters_at_time_zero_are_known_too)
{
    struct xenoprof_counters counters = {.made = 5};
    struct session_kit *kit = kit_create();

    KIT_OK(kit, xenoprof_writer_counters(kit->writer, 0, &counters));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 0));
    file_is(kit, 1, "counters 0 0 0 0 5 0 0 0 0 lost\nclosed 0\nend torn 0\n");
    kit_destroy(kit);
}

TEST(files_rotate_by_size)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    xenoprof_writer_rotate_at(kit->writer, 200);
    for ( uint64_t time = 1; time <= 50; time++ )
    {
        kit_sample(kit, time * 1000000007, kit_place(kit, 1, 1, time, "f"));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    CHECK(!access(kit_file(kit, 5), F_OK));
    CHECK(access(kit_file(kit, 50), F_OK));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples, 50);
    CHECK_EQ(counts.damages, 0);
    kit_destroy(kit);
}

TEST(files_before_a_rotation_never_change)
{
    struct session_kit *kit = kit_create();
    size_t before, after;
    uint8_t *first, *second;

    kit_sample(kit, 1, 0);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    first = kit_bytes(kit_file(kit, 0), &before);
    kit_sample(kit, 2, 0);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 3));
    second = kit_bytes(kit_file(kit, 0), &after);
    CHECK_EQ(after, before);
    CHECK(!memcmp(first, second, before));
    free(first);
    free(second);
    kit_destroy(kit);
}

TEST(a_restarted_writer_knows_what_was_known)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_ring_past ring;
    uint32_t place = kit_place(kit, 5, 1, 0x100, "f"), found;

    know_something(kit);
    kit_sample(kit, 5, place);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_sample(kit, 6, place); /* never flushed */
    kit_stop(kit);
    kit_go_on(kit);
    CHECK_EQ(xenoprof_writer_past_rings(kit->writer), 1);
    xenoprof_writer_past_ring(kit->writer, 0, &ring);
    CHECK_EQ(ring.info.ring, 1);
    CHECK_EQ(ring.info.generation, 1);
    CHECK_EQ(ring.info.position, 100);
    CHECK_EQ(ring.info.uuid[0], 5);
    CHECK_EQ(ring.read, 50);
    CHECK_EQ(ring.lost_daemon, 2);
    CHECK_TEXT(xenoprof_writer_past_attribute(kit->writer, "sampler"), "timer");
    CHECK(!xenoprof_writer_past_attribute(kit->writer, "nothing"));
    CHECK(xenoprof_writer_known(kit->writer, 5, 1, 0x100, &found));
    CHECK_EQ(found, place);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 8));
    file_is(kit, 1, KNOWN "closed 8\nend torn 0\n");
    kit_destroy(kit);
}

TEST(numbers_go_on_after_a_restart)
{
    struct session_kit *kit = kit_create();
    uint32_t a = kit_place(kit, 1, 1, 0x100, "a"), b, stack, later;

    kit_sample(kit, 1, a);
    b = kit_place(kit, 1, 1, 0x200, "b");
    kit_sample(kit, 2, b);
    KIT_OK(kit, xenoprof_writer_stack(kit->writer, &b, 1, &stack));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    /* The last file defines neither place b nor the stack. */
    kit_sample(kit, 3, a);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_stop(kit);
    kit_go_on(kit);
    CHECK_EQ(kit_place(kit, 1, 1, 0x100, "a"), a);
    CHECK_EQ(kit_place(kit, 1, 1, 0x300, "c"), b + 1);
    KIT_OK(kit, xenoprof_writer_stack(kit->writer, &a, 1, &later));
    CHECK_EQ(later, stack + 1);
    kit_destroy(kit);
}

/* Cut the last file anywhere: whole blocks stay, the next ones follow. */
static void go_on_after_cut(size_t cut, unsigned int whole)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;
    size_t size;
    uint8_t *bytes;

    for ( uint64_t time = 1; time <= 2; time++ )
    {
        kit_sample(kit, time, kit_place(kit, 1, 1, time, "f"));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    kit_stop(kit);
    bytes = kit_bytes(kit_file(kit, 0), &size);
    kit_put_bytes(kit_file(kit, 0), bytes, cut < size ? cut : size);
    free(bytes);
    kit_go_on(kit);
    kit_sample(kit, 9, kit_place(kit, 1, 1, 9, "g"));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 10));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 0);
    CHECK_EQ(counts.torn, 0);
    CHECK_EQ(counts.samples, whole + 1);
    CHECK_EQ(counts.last_time, 9);
    kit_destroy(kit);
}

TEST(a_writer_goes_on_after_a_cut_at_every_byte)
{
    struct session_kit *kit = kit_create();
    size_t first, second;

    kit_sample(kit, 1, kit_place(kit, 1, 1, 1, "f"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    free(kit_bytes(kit_file(kit, 0), &first));
    kit_sample(kit, 2, kit_place(kit, 1, 1, 2, "f"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    free(kit_bytes(kit_file(kit, 0), &second));
    kit_destroy(kit);
    for ( size_t cut = 0; cut <= second; cut++ )
        go_on_after_cut(cut, (cut >= first) + (cut >= second));
}

TEST(a_writer_goes_on_twenty_times)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    for ( uint64_t time = 1; time <= 20; time++ )
    {
        kit_sample(kit, time, kit_place(kit, 1, 1, 1, "f"));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        kit_stop(kit);
        kit_go_on(kit);
    }
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 21));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples, 20);
    CHECK_EQ(counts.damages, 0);
    kit_destroy(kit);
}

TEST(a_closed_session_is_not_gone_on_with)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *writer;

    KIT_OK(kit, xenoprof_writer_close(kit->writer, 1));
    kit_stop(kit);
    CHECK_EQ(xenoprof_writer_reopen(kit->handle, kit->folder, &writer),
             XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(a_folder_without_a_session_cannot_be_gone_on_with)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *writer;

    kit_stop(kit);
    CHECK(!unlink(kit_file(kit, 0)));
    CHECK_EQ(xenoprof_writer_reopen(kit->handle, kit->folder, &writer),
             XENOPROF_NOT_FOUND);
    kit_destroy(kit);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    CHECK(!getrlimit(RLIMIT_FSIZE, &limit));
    limit.rlim_cur = bytes;
    CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
}

/* As a disk that is full, and has room again later. */
static void full_disk(bool rotated)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;
    size_t before, after;

    for ( uint64_t time = 1; time <= 1000; time++ )
        kit_sample(kit, time * 7919 * time, 0);
    KIT_OK(kit, rotated ? xenoprof_writer_rotate(kit->writer)
                        : xenoprof_writer_flush(kit->writer));
    for ( uint64_t time = 1; time <= 1000; time++ )
        kit_sample(kit, time * 7907 * time, 0);
    free(kit_bytes(kit_file(kit, 0), &before));
    limit_files(rotated ? 100 : before + 100);
    for ( int i = 0; i < 3; i++ )
    {
        CHECK_EQ(xenoprof_writer_flush(kit->writer), XENOPROF_SYSTEM);
        CHECK_EQ(xenoprof_errno(kit->handle), EFBIG);
        CHECK(strstr(xenoprof_message(kit->handle), kit->folder));
        kit_count(kit, kit->folder, &counts);
        CHECK_EQ(counts.samples, 1000);
        CHECK_EQ(counts.torn, 0);
    }
    free(kit_bytes(kit_file(kit, 0), &after));
    CHECK_EQ(after, before);
    limit_files(RLIM_INFINITY);
    kit_sample(kit, 1, 0);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples, 2001);
    CHECK_EQ(counts.damages, 0);
    kit_destroy(kit);
}

TEST(a_full_disk_loses_nothing)
{
    full_disk(false);
}

TEST(a_full_disk_after_a_rotation_loses_nothing)
{
    full_disk(true);
}

TEST(a_block_takes_no_more_than_a_reader_would)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_stored sample = {.weight = 1};
    struct kit_counts counts;
    unsigned int taken = 0;

    srandom(1);
    do
    {
        sample.time = (uint64_t)random() << 33;
        sample.period = random();
        sample.marks = random();
        taken++;
    } while ( !xenoprof_writer_sample(kit->writer, &sample) );
    CHECK(strstr(xenoprof_message(kit->handle), "flush first"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples, taken);
    CHECK_EQ(counts.damages, 0);
    kit_destroy(kit);
}
