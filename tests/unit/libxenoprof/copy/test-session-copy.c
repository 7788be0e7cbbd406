/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy says what the session says: all items of a file; of several files as
 * one, whatever they say again, and what each file bounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxenoprof/session/defined-tables.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

struct copied {
    char folder[TEST_FOLDER_MAX + 8], file[TEST_FOLDER_MAX + 24];
};

static struct xenoprof_session *open_session(struct session_kit *kit)
{
    struct xenoprof_session *session;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    return session;
}

/* Copies the kit's session beside its folder. */
static void copy_session(struct session_kit *kit, struct copied *ret)
{
    struct xenoprof_session *session = open_session(kit);
    struct xenoprof_copy *copy;
    struct xenoprof_item item;
    enum xenoprof_status status;

    snprintf(ret->folder, sizeof(ret->folder), "%s-copy", kit->folder);
    snprintf(ret->file, sizeof(ret->file), "%s/DATA.0000", ret->folder);
    KIT_OK(kit, xenoprof_copy_create(kit->handle, session, ret->folder, &copy));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        KIT_OK(kit, status);
        KIT_OK(kit, xenoprof_copy_put(copy, &item));
    }
    KIT_OK(kit, xenoprof_copy_end(copy));
    xenoprof_copy_destroy(copy);
    xenoprof_session_close(session);
}

static void remove_copy(const struct copied *copied)
{
    CHECK(!unlink(copied->file));
    CHECK(!rmdir(copied->folder)); /* it has no other file */
}

/* The copy of what the kit has says this. */
static void copy_is(struct session_kit *kit, const char *wanted)
{
    struct copied copied;
    char *text;

    copy_session(kit, &copied);
    text = kit_read(kit, copied.file);
    CHECK_TEXT(text, wanted);
    free(text);
    remove_copy(&copied);
}

static void copy_is_the_same(struct session_kit *kit)
{
    char *text = kit_read(kit, kit->folder);

    copy_is(kit, text);
    free(text);
}

static void put_sample(struct session_kit *kit, uint64_t time,
                       const uint32_t *places, size_t count,
                       const struct xenoprof_stored *like)
{
    struct xenoprof_stored sample = *like;

    sample.time = time;
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, places, count));
}

static const struct xenoprof_stored busy = {
    .domain = 5,
    .mode = XENOPROF_MODE_KERNEL,
    .weight = 1,
    .period = 1000000,
};

TEST(all_of_one_file_is_copied)
{
    struct session_kit *kit = kit_create();
    const struct xenoprof_type cycles = {"cycles", "cycles", 7, 1000, 2};
    const struct xenoprof_waited waited = {
        .domain = 5, .span = 500000, .running = 200000, .capped = 100000};
    const struct xenoprof_latency late = {
        .domain = 5, .by = 5, .bucket = 3, .count = 2, .sum = 7, .longest = 5};
    const struct xenoprof_exits exits = {
        .domain = 5,
        .entry = {.kind = XENOPROF_ENTRY_PV, .code = 3},
        .count = 4,
        .in_xen = 9,
        .shortest = 1,
        .longest = 5};
    const struct xenoprof_cost cost = {7, 8};
    const struct xenoprof_measured measured = {2, 1, 90, 45};
    struct xenoprof_stored other = busy;
    struct xenoprof_origin origin = {
        .domain = 5, .exe = "/bin/x", .cgroup = "/a.slice"};
    const struct xenoprof_spooled spooled = {.domain = 5,
                                             .vcpu = 1,
                                             .mode = XENOPROF_MODE_KERNEL,
                                             .second = 1,
                                             .period = 1000,
                                             .samples = 3};
    uint32_t chain[3];

    kit_know(kit);
    chain[0] = kit_place(kit, 5, XENOPROF_MODE_XEN, 0x1000, "do_x");
    chain[1] = kit_place(kit, 5, XENOPROF_MODE_KERNEL, 0x2000, NULL);
    chain[2] = kit_place(kit, 5, XENOPROF_MODE_USER, 0x3000, "main");
    other.mode = XENOPROF_MODE_XEN;
    other.marks = XENOPROF_MARK_TRUNCATED;
    other.entry = (struct xenoprof_entry){
        .kind = XENOPROF_ENTRY_PV, .code = 2, .detail = 0x77};
    other.thread = (struct xenoprof_thread){9, 10, 11, "worker"};
    origin.thread = other.thread;
    KIT_OK(kit, xenoprof_writer_type(kit->writer, 2, &cycles));
    put_sample(kit, 1000000001, chain, 3, &other);
    put_sample(kit, 1000000002, chain + 1, 1, &busy);
    other.type = 2;
    other.count = 12345;
    put_sample(kit, 1000000003, chain, 2, &other);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    /* It gets its name later. */
    chain[1] = kit_place(kit, 5, XENOPROF_MODE_KERNEL, 0x2000, "do_k");
    put_sample(kit, 2000000000, NULL, 0, &busy);
    KIT_OK(kit, xenoprof_writer_idle(kit->writer, 2000000001, 3, 77));
    KIT_OK(kit, xenoprof_writer_wait(kit->writer, 2000000000, &waited));
    KIT_OK(kit, xenoprof_writer_latency(kit->writer, 2000000003, &late));
    KIT_OK(kit, xenoprof_writer_exits(kit->writer, 2000000004, &exits));
    KIT_OK(kit, xenoprof_writer_cost(kit->writer, 2000000005, &cost));
    KIT_OK(kit, xenoprof_writer_measured(kit->writer, 2000000006, &measured));
    KIT_OK(kit, xenoprof_writer_origin(kit->writer, &origin));
    KIT_OK(kit, xenoprof_writer_spooled(kit->writer, &spooled));
    copy_is_the_same(kit);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 3000000000));
    copy_is_the_same(kit);
    kit_destroy(kit);
}

/* Absolute blocks say all rings again: they are where the session has them. */
TEST(each_block_is_one)
{
    struct session_kit *kit = kit_create();

    kit_know(kit);
    for ( uint64_t i = 1; i <= 40; i++ )
    {
        kit_sample(kit, i * 1000, 0);
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    copy_is_the_same(kit);
    kit_destroy(kit);
}

#define SAMPLE(time)                                                           \
    "sample " time " place 0 stack 0 period 1000000 marks 0 who 1 0 0 mode 1 " \
    "weight 1\n"
#define RING(number)                                                           \
    "ring " number ".1 who 5 3 kind 2 state 1 size 4096 uuid "                 \
    "05000000000000000000000000000000 100 120 90 60 55 50 2 lost 1 2 3 4\n"

TEST(a_ring_that_ended_in_an_earlier_file_counts_once)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_ring_info one = kit_ring(1, 100), two = kit_ring(2, 100);

    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &one, 50, 2, 0));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &two, 50, 2, 0));
    kit_sample(kit, 1, 0);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_writer_ring_ended(kit->writer, &one));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    kit_sample(kit, 2, 0);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 3));
    copy_is(
        kit,
        SAMPLE("1") RING("1") RING(
            "2") "first sum of 5 kind 2 uuid 05000000000000000000000000000000 1 60 "
                 "50 2 lost 1 2 3 4\n" SAMPLE("2") RING("2") "closed 3\n"
                                                             "end torn 0\n");
    kit_destroy(kit);
}

static void spool(struct session_kit *kit, uint64_t second, int64_t samples)
{
    const struct xenoprof_spooled spooled = {.domain = 5,
                                             .vcpu = 1,
                                             .mode = XENOPROF_MODE_KERNEL,
                                             .second = second,
                                             .period = 1000,
                                             .samples = samples};

    KIT_OK(kit, xenoprof_writer_spooled(kit->writer, &spooled));
}

/* What waits by a session's text, in sum over seconds. */
static int64_t still_spooled(struct session_kit *kit, const char *path)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;
    int64_t sum = 0;

    KIT_OK(kit, xenoprof_session_open(kit->handle, path, &session));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
        if ( !status && item.kind == XENOPROF_ITEM_SPOOLED )
            sum = item.u.spooled.anew ? 0 : sum + item.u.spooled.samples;
    xenoprof_session_close(session);
    return sum;
}

TEST(what_waits_is_what_the_last_file_says)
{
    struct session_kit *kit = kit_create();
    struct copied copied;

    spool(kit, 1, 3);
    spool(kit, 2, 4);
    spool(kit, 1, -1);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    spool(kit, 2, 4);
    spool(kit, 3, 5);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    CHECK_EQ(still_spooled(kit, kit->folder), 9);
    copy_session(kit, &copied);
    CHECK_EQ(still_spooled(kit, copied.file), 9);
    remove_copy(&copied);
    kit_destroy(kit);
}

/* How many samples are of the thread with their number as their time. */
static unsigned int count_threads(struct session_kit *kit, const char *path)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;
    unsigned int count = 0;

    KIT_OK(kit, xenoprof_session_open(kit->handle, path, &session));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
        if ( !status && item.kind == XENOPROF_ITEM_SAMPLE )
            count += item.u.sample.thread.tid == item.u.sample.time;
    xenoprof_session_close(session);
    return count;
}

/* Each of many files may have so many threads of a guest. */
TEST(a_guest_may_have_more_threads_than_in_one_file)
{
    enum { FILES = 3, EACH = FILE_THREADS_GUEST_MAX - 1 };
    struct session_kit *kit = kit_create();
    struct xenoprof_stored sample = busy;
    struct copied copied;

    for ( uint32_t i = 0; i < FILES * EACH; i++ )
    {
        sample.thread = (struct xenoprof_thread){1, i + 1, i + 1, "worker"};
        put_sample(kit, i + 1, NULL, 0, &sample);
        if ( i % EACH == EACH - 1 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    CHECK_EQ(count_threads(kit, kit->folder), FILES * EACH);
    copy_session(kit, &copied);
    CHECK_EQ(count_threads(kit, copied.file), FILES * EACH);
    remove_copy(&copied);
    kit_destroy(kit);
}

/* A number is another domain's: what came late of the first stays its own. */
TEST(a_number_that_two_domains_had_is_both_s)
{
    static const uint8_t first[16] = {1}, second[16] = {2};
    struct session_kit *kit = kit_create();
    const struct xenoprof_waited waited = {
        .domain = 5, .span = 500000, .running = 200000};
    uint32_t place;

    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1, 5, first, "a", "other"));
    place = kit_place(kit, 5, XENOPROF_MODE_KERNEL, 0x1000, "in_a");
    put_sample(kit, 1000000, &place, 1, &busy);
    KIT_OK(kit, xenoprof_writer_wait(kit->writer, 1000000, &waited));
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 2, 5, second, "b", "other"));
    place = kit_place(kit, 5, XENOPROF_MODE_KERNEL, 0x1000, "in_b");
    put_sample(kit, 2000000, &place, 1, &busy);
    KIT_OK(kit, xenoprof_writer_wait(kit->writer, 2000000, &waited));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    copy_is_the_same(kit);
    kit_destroy(kit);
}

TEST(an_existing_session_is_not_written_into)
{
    struct session_kit *kit = kit_create_files();
    struct xenoprof_session *session = open_session(kit);
    struct xenoprof_copy *copy;

    CHECK_EQ(xenoprof_copy_create(kit->handle, session, kit->folder, &copy),
             XENOPROF_SYSTEM); /* its writer has it */
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* Also of a domain whose number another one has by now. */
TEST(code_is_copied)
{
    struct session_kit *kit = kit_create();
    const struct xenoprof_function function = {.start = 0x100,
                                               .image = "kernel",
                                               .symbol = "f",
                                               .domain = 5,
                                               .mode = XENOPROF_MODE_KERNEL};
    const struct xenoprof_code code = {function, (const uint8_t *)"\x90", 1,
                                       1,        "/boot/vmlinux",         1};
    const struct xenoprof_instruction at = {
        .function = function, .line = 7, .path = "f.c", .name = ""};
    const struct xenoprof_source_line source = {function, 7, "f.c", "f();"};
    uint8_t uuid[16] = {1};

    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1, 5, uuid, "a", "other"));
    KIT_OK(kit, xenoprof_writer_code(kit->writer, &code));
    KIT_OK(kit, xenoprof_writer_instruction(kit->writer, &at));
    KIT_OK(kit, xenoprof_writer_source(kit->writer, &source));
    uuid[0] = 2;
    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 2, 5, uuid, "b", "other"));
    KIT_OK(kit, xenoprof_writer_code(kit->writer, &code));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 3));
    copy_is(kit,
            "domain 1 5 01000000000000000000000000000000 a other\n"
            "domain 2 5 02000000000000000000000000000000 b other\n"
            "code of 5 0100 mode 1 kernel f 100: 90 (1) from 1 /boot/vmlinux\n"
            "code of 5 0200 mode 1 kernel f 100: 90 (1) from 1 /boot/vmlinux\n"
            "instruction of 5 0100 mode 1 kernel f 100: +0 f.c:7 +0\n"
            "source of 5 0100 mode 1 kernel f 100: f.c:7 'f();'\n"
            "closed 3\n"
            "end torn 0\n");
    kit_destroy(kit);
}
