/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks reach the disk whole or not at all, in files that only grow. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxenoprof/session/session-block.h"
#include "libxenoprof/session/session-writer.h"
#include "session-kit.h"

TEST(nothing_is_on_disk_before_a_flush)
{
    struct session_kit *kit = kit_create();

    kit_sample(kit, 1, 0);
    CHECK(xenoprof_writer_pending(kit->writer) > 0);
    kit_text_is(kit, "end torn 0\n");
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    CHECK_EQ(xenoprof_writer_pending(kit->writer), 0);
    kit_text_is(kit, "sample 1 place 0 stack 0 period 1000000 marks 0 who 1 0 "
                     "0 mode 1 weight 1\n"
                     "end torn 0\n");
    kit_destroy(kit);
}

TEST(folder_and_files_are_private)
{
    struct session_kit *kit = kit_create();
    mode_t mask = umask(0);
    struct stat status;

    kit_stop(kit);
    CHECK(!unlink(kit_file(kit, 0)) && !rmdir(kit->folder));
    KIT_OK(kit, xenoprof_writer_create(kit->handle, kit->folder, &kit->writer));
    umask(mask);
    CHECK(!stat(kit->folder, &status));
    CHECK_EQ(status.st_mode & 0777, 0700);
    CHECK(!stat(kit_file(kit, 0), &status));
    CHECK_EQ(status.st_mode & 0777, 0600);
    kit_destroy(kit);
}

TEST(a_folder_behind_a_link_is_refused)
{
    struct session_kit *kit = kit_create();
    char link[sizeof(kit->folder) + 8];
    struct xenoprof_writer *writer;

    kit_stop(kit);
    snprintf(link, sizeof(link), "%s-link", kit->folder);
    CHECK(!symlink(kit->folder, link));
    CHECK_EQ(xenoprof_writer_reopen(kit->handle, link, &writer),
             XENOPROF_SYSTEM);
    CHECK(!unlink(link));
    kit_go_on(kit);
    kit_destroy(kit);
}

TEST(a_second_writer_is_refused)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *second;

    CHECK_EQ(xenoprof_writer_reopen(kit->handle, kit->folder, &second),
             XENOPROF_SYSTEM);
    kit_stop(kit);
    CHECK_EQ(xenoprof_writer_create(kit->handle, kit->folder, &second),
             XENOPROF_INVALID);
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

/* Returns the flags of a file's last block, and in *blocks how many it has. */
static uint32_t last_flags(const char *path, unsigned int *blocks)
{
    struct session_block_header header = {.flags = 0};
    size_t size, at = sizeof(struct session_file_header);
    uint8_t *bytes = kit_bytes(path, &size);

    for ( *blocks = 0; at < size; (*blocks)++ )
    {
        CHECK(size - at >= sizeof(header));
        memcpy(&header, bytes + at, sizeof(header));
        at += sizeof(header) + header.tables_size + header.samples_size;
    }
    free(bytes);
    return header.flags;
}

/* So that no damage before it makes what comes last unknown. */
TEST(files_that_are_full_end_in_an_absolute_block)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_ring_info ring = kit_ring(1, 0);
    unsigned int file = 0, blocks, more = 0;
    uint64_t time = 0;

    xenoprof_writer_rotate_at(kit->writer, 2200);
    for ( ; access(kit_file(kit, 6), F_OK); ring.made++ )
    {
        kit_sample(kit, ++time * 1000000007, 0);
        KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, time, 0, 0));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    for ( ; file < 6; file++ )
    {
        CHECK(last_flags(kit_file(kit, file), &blocks) &
              SESSION_BLOCK_ABSOLUTE);
        more += blocks > 1 && blocks % 16 != 1;
    }
    /* The last is not absolute for another reason. */
    CHECK(more);
    CHECK(time < 200);
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
    } while ( !xenoprof_writer_sample(kit->writer, &sample, NULL, 0) );
    CHECK(strstr(xenoprof_message(kit->handle), "flush first"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, NULL, 0));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples, taken);
    CHECK_EQ(counts.damages, 0);
    kit_destroy(kit);
}

/* A block of samples, each of other code, and of so many callers that are new
 * together with it. */
static void put_new_stacks(struct session_kit *kit, uint64_t time,
                           unsigned int callers)
{
    static uint64_t address = 0x1000;

    for ( unsigned int i = 0; i < 8000; i++ )
    {
        const struct xenoprof_stored sample = {
            .time = time, .mode = XENOPROF_MODE_KERNEL, .weight = 1};
        const uint32_t leaf = kit_place(kit, 0, XENOPROF_MODE_KERNEL,
                                        address += 16, NULL);
        uint32_t places[9] = {leaf};

        for ( unsigned int j = 1; j <= callers; j++ )
            places[j] = leaf;
        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, places,
                                           callers + 1));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
}

/* More of either, or of both, in a second. */
TEST(tables_of_a_young_file_have_an_end)
{
    for ( unsigned int callers = 0; callers <= 8; callers += 4 )
    {
        struct session_kit *kit = kit_create();
        const struct xenoprof_writer *writer = kit->writer;
        size_t most = 0;

        for ( unsigned int i = 0; !writer->files_ended && most <= 32u << 20;
              i++ )
        {
            put_new_stacks(kit, 1 + i, callers);
            if ( !writer->files_ended )
                most = defined_tables_take(&writer->tables, 0, 0);
        }
        CHECK(most <= 32u << 20);
        CHECK(most >= 12u << 20);
        kit_destroy(kit);
    }
}

TEST(nothing_is_written_through_a_link_or_over_a_file)
{
    struct session_kit *kit = kit_create();
    char victim[] = "/tmp/xenoprof-victim-XXXXXX";
    int handle = mkstemp(victim);
    struct stat status;

    CHECK(handle >= 0);
    CHECK_EQ(write(handle, "mine", 4), 4);
    close(handle);
    CHECK(!symlink(victim, kit_file(kit, 1)));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    kit_sample(kit, 5, 0);
    CHECK_EQ(xenoprof_writer_flush(kit->writer), XENOPROF_SYSTEM);
    CHECK(!stat(victim, &status));
    CHECK_EQ(status.st_size, 4);
    CHECK(!unlink(kit_file(kit, 1)));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    unlink(victim);
    kit_destroy(kit);
}

TEST(a_folder_that_others_may_write_to_is_refused)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *writer;

    kit_stop(kit);
    CHECK(!chmod(kit->folder, 0770));
    CHECK_EQ(xenoprof_writer_reopen(kit->handle, kit->folder, &writer),
             XENOPROF_SYSTEM);
    CHECK(strstr(xenoprof_message(kit->handle), "this user's alone"));
    CHECK(!chmod(kit->folder, 0700));
    kit_destroy(kit);
}
