/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks and files that were cut, damaged, lost, or are of another session. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "libxenoprof/session/session-block.h"
#include "libxenoprof/session/session-reader.h"
#include "session-kit.h"

#define BLOCKS  5u
#define SAMPLES 4u /* in a block */

/* A session of one file with BLOCKS blocks; ends: where each block ends. */
static struct session_kit *make_blocks(size_t ends[BLOCKS])
{
    struct session_kit *kit = kit_create();
    uint64_t time = 0;

    for ( unsigned int i = 0; i < BLOCKS; i++ )
    {
        uint32_t place = kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x1000 + i,
                                   "f");

        for ( unsigned int j = 0; j < SAMPLES; j++ )
            kit_sample(kit, ++time, place);
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        free(kit_bytes(kit_file(kit, 0), &ends[i]));
    }
    return kit;
}

TEST(cut_at_every_byte_all_whole_blocks_are_there)
{
    size_t ends[BLOCKS], size;
    struct session_kit *kit = make_blocks(ends);
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);

    CHECK_EQ(size, ends[BLOCKS - 1]);
    for ( size_t cut = 0; cut <= size; cut++ )
    {
        size_t whole = 0, end = sizeof(struct session_file_header);
        struct kit_counts counts;

        while ( whole < BLOCKS && ends[whole] <= cut )
            end = ends[whole++];
        kit_put_bytes(kit_file(kit, 0), bytes, cut);
        kit_count(kit, kit->folder, &counts);
        CHECK_EQ(counts.open, XENOPROF_OK);
        CHECK_EQ(counts.samples, whole * SAMPLES);
        CHECK_EQ(counts.damages, 0);
        CHECK_EQ(counts.torn, cut < end ? cut : cut - end);
    }
    free(bytes);
    kit_destroy(kit);
}

TEST(one_flipped_byte_anywhere_is_noticed)
{
    size_t ends[BLOCKS], size;
    struct session_kit *kit = make_blocks(ends);
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);

    for ( size_t at = 0; at < size; at++ )
    {
        bool last = at >= ends[BLOCKS - 2];
        struct kit_counts counts;

        bytes[at] ^= 1 << at % 8;
        kit_put_bytes(kit_file(kit, 0), bytes, size);
        bytes[at] ^= 1 << at % 8;
        kit_count(kit, kit->folder, &counts);
        if ( at < SESSION_MAGIC_SIZE )
        {
            CHECK_EQ(counts.open, XENOPROF_INVALID);
            continue;
        }
        CHECK_EQ(counts.open, XENOPROF_OK);
        CHECK_EQ(counts.damages, last ? 0 : 1);
        CHECK_EQ(counts.torn, last ? size - ends[BLOCKS - 2] : 0);
        /* Only the block that was hit is lost; with the first one, who it was
         * that the others sampled. */
        if ( at < sizeof(struct session_file_header) )
            CHECK_EQ(counts.samples, BLOCKS * SAMPLES);
        else if ( at >= ends[0] )
            CHECK_EQ(counts.samples, (BLOCKS - 1) * SAMPLES);
        else
            CHECK(counts.samples == 0 ||
                  counts.samples == (BLOCKS - 1) * SAMPLES);
    }
    free(bytes);
    kit_destroy(kit);
}

TEST(what_a_damaged_block_defined_is_unknown)
{
    size_t ends[BLOCKS], size;
    struct session_kit *kit = make_blocks(ends);
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);
    char *text;

    kit_sample(kit, 100, 2);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    free(bytes);
    bytes = kit_bytes(kit_file(kit, 0), &size);
    /* What the block defines that has place 2. */
    bytes[ends[0] + sizeof(struct session_block_header)]++;
    kit_put_bytes(kit_file(kit, 0), bytes, size);
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "sample 100 place 0 "));
    CHECK(!strstr(text, " at 1001 "));
    free(text);
    free(bytes);
    kit_destroy(kit);
}

/* Remove the bytes from, and not including, to. */
static void drop(struct session_kit *kit, size_t from, size_t to)
{
    size_t size;
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);

    memmove(bytes + from, bytes + to, size - to);
    kit_put_bytes(kit_file(kit, 0), bytes, size - (to - from));
    free(bytes);
}

TEST(a_missing_block_is_noticed)
{
    size_t ends[BLOCKS];
    struct session_kit *kit = make_blocks(ends);
    struct kit_counts counts;

    drop(kit, ends[0], ends[2]);
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 1);
    CHECK(strstr(xenoprof_message(kit->handle), "blocks 1 to 2"));
    CHECK_EQ(counts.samples, (BLOCKS - 2) * SAMPLES);
    kit_destroy(kit);
}

TEST(a_block_that_is_there_twice_counts_once)
{
    size_t ends[BLOCKS], size;
    struct session_kit *kit = make_blocks(ends);
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);
    uint8_t *twice = malloc(2 * size);
    size_t block = ends[1] - ends[0];
    struct kit_counts counts;

    memcpy(twice, bytes, ends[1]);
    memcpy(twice + ends[1], bytes + ends[0], size - ends[0]);
    kit_put_bytes(kit_file(kit, 0), twice, size + block);
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 1);
    CHECK_EQ(counts.samples, BLOCKS * SAMPLES);
    free(bytes);
    free(twice);
    kit_destroy(kit);
}

TEST(a_missing_file_is_noticed)
{
    struct session_kit *kit = kit_create_files();
    struct kit_counts counts;

    CHECK(!unlink(kit_file(kit, 1)));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 1);
    CHECK_EQ(counts.samples, 2);
    CHECK_EQ(counts.last_time, 3);
    kit_destroy(kit);
}

TEST(old_files_may_be_removed)
{
    struct session_kit *kit = kit_create_files();
    struct kit_counts counts;

    CHECK(!unlink(kit_file(kit, 0)));
    CHECK(!unlink(kit_file(kit, 1)));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 0);
    CHECK_EQ(counts.samples, 1);
    kit_destroy(kit);
}

TEST(a_file_that_ends_torn_before_another_is_damaged)
{
    struct session_kit *kit = kit_create_files();
    struct kit_counts counts;
    size_t size;
    uint8_t *bytes = kit_bytes(kit_file(kit, 1), &size);

    kit_put_bytes(kit_file(kit, 1), bytes, size - 1);
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 1);
    CHECK_EQ(counts.torn, 0);
    CHECK_EQ(counts.samples, 2);
    free(bytes);
    kit_destroy(kit);
}

TEST(a_file_of_another_session_is_passed_over)
{
    struct session_kit *kit = kit_create_files(), *other = kit_create_files();
    struct kit_counts counts;
    size_t size;
    uint8_t *bytes = kit_bytes(kit_file(other, 1), &size);

    kit_put_bytes(kit_file(kit, 1), bytes, size);
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 2); /* the file, and the block that is missing */
    CHECK_EQ(counts.samples, 2);
    free(bytes);
    kit_destroy(kit);
    kit_destroy(other);
}

TEST(another_version_is_refused_with_what_to_do)
{
    static const struct {
        uint32_t version;
        enum xenoprof_status status;
        const char *words;
    } rows[] = {
        {SESSION_VERSION + 1, XENOPROF_NEWER, "use a newer xenoprof"},
        {SESSION_VERSION - 1, XENOPROF_INVALID, "record it anew"},
    };
    struct session_kit *kit = kit_create_files();
    struct kit_counts counts;
    size_t size;
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);
    struct session_file_header *header = (void *)bytes;

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        header->version = rows[i].version;
        header->check = crc32(0, bytes,
                              offsetof(struct session_file_header, check));
        kit_put_bytes(kit_file(kit, 0), bytes, size);
        kit_count(kit, kit->folder, &counts);
        CHECK_EQ(counts.open, rows[i].status);
        CHECK(strstr(xenoprof_message(kit->handle), rows[i].words));
    }
    free(bytes);
    kit_destroy(kit);
}

/* Bytes that this process has read so far, by Linux's count. */
static unsigned long long bytes_read(void)
{
    FILE *file = fopen("/proc/self/io", "re");
    unsigned long long bytes = 0;

    if ( file && fscanf(file, "rchar: %llu", &bytes) != 1 )
        bytes = 0;
    if ( file )
        fclose(file);
    return bytes;
}

/* The first file goes on with these bytes. */
static void append_bytes(struct session_kit *kit, const void *more, size_t size)
{
    FILE *file = fopen(kit_file(kit, 0), "ae");

    CHECK(file);
    CHECK_EQ(fwrite(more, 1, size, file), size);
    fclose(file);
}

TEST(a_flood_of_magics_is_read_once)
{
    const size_t size = 4u << 20;
    uint32_t *flood = malloc(size);
    struct session_kit *kit = kit_create();
    struct kit_counts counts;
    unsigned long long before, after;

    for ( size_t i = 0; i < size / sizeof(*flood); i++ )
        flood[i] = SESSION_BLOCK_MAGIC;
    append_bytes(kit, flood, size);
    before = bytes_read();
    kit_count(kit, kit->folder, &counts);
    after = bytes_read();
    CHECK_EQ(counts.torn, size);
    if ( before && after - before > 2 * size )
        test_fail(__FILE__, __LINE__, "%llu bytes were read of %zu",
                  after - before, size);
    free(flood);
    kit_destroy(kit);
}

TEST(headers_that_promise_more_than_there_is_are_read_once)
{
    const size_t count = 20000;
    struct session_block_header *flood = calloc(count, sizeof(*flood));
    struct session_kit *kit = kit_create();
    struct kit_counts counts;
    unsigned long long before, after;

    for ( size_t i = 0; i < count; i++ )
    {
        flood[i] = (struct session_block_header){
            .magic = SESSION_BLOCK_MAGIC, .tables_size = SESSION_SECTION_MAX};
        flood[i].check = session_check(
            &flood[i], offsetof(struct session_block_header, check));
    }
    append_bytes(kit, flood, count * sizeof(*flood));
    before = bytes_read();
    kit_count(kit, kit->folder, &counts);
    after = bytes_read();
    CHECK_EQ(counts.samples, 0);
    CHECK_EQ(counts.damages, count - 1);
    if ( before && after - before > 4 * count * sizeof(*flood) )
        test_fail(__FILE__, __LINE__, "%llu bytes were read of %zu",
                  after - before, count * sizeof(*flood));
    free(flood);
    kit_destroy(kit);
}

TEST(a_file_is_a_regular_file)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    kit_stop(kit);
    CHECK(!unlink(kit_file(kit, 0)));
    CHECK(!mkfifo(kit_file(kit, 0), 0600));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.open, XENOPROF_INVALID);
    CHECK(strstr(xenoprof_message(kit->handle), "not a regular file"));
    kit_destroy(kit);
}

/* Reads to the end, or to the first status that ends it. */
static enum xenoprof_status read_to_end(struct session_kit *kit,
                                        struct xenoprof_session *session)
{
    struct xenoprof_item item;
    enum xenoprof_status status;

    do
        status = xenoprof_session_next(session, &item);
    while ( status == XENOPROF_OK || status == XENOPROF_DAMAGED );
    if ( status == XENOPROF_INVALID )
        CHECK(strstr(xenoprof_message(kit->handle), "into so few bytes"));
    return status;
}

static void put_bytes(struct buffer *to, const void *bytes, size_t size)
{
    CHECK(buffer_append(to, bytes, size));
}

/* A table of 65,536 rows, and so many times the same column of one number, all
 * of a few bytes. */
static void put_large_table(struct buffer *to, uint8_t number,
                            unsigned int times)
{
    static const uint8_t rows[] = {0x80, 0x80, 0x04, 1}; /* and the first */
    static const uint8_t column[] = {1 << 1, 0, 7};
    const uint32_t size = (uint32_t)(sizeof(rows) + times * sizeof(column));

    put_bytes(to, &number, 1);
    put_bytes(to, &size, sizeof(size));
    put_bytes(to, rows, sizeof(rows));
    for ( unsigned int i = 0; i < times; i++ )
        put_bytes(to, column, sizeof(column));
}

/* Adds a block with these tables to a session's only file, and
 * reads it. */
static void refuse_tables(const struct buffer *tables)
{
    struct session_kit *kit = kit_create();
    struct session_block_header header = {.sequence = 0,
                                          .flags = SESSION_BLOCK_ABSOLUTE};
    const struct buffer none = {.bytes = NULL};
    struct buffer block = {.bytes = NULL};
    struct xenoprof_session *session;

    session_block_seal(&header, tables, &none);
    put_bytes(&block, &header, sizeof(header));
    put_bytes(&block, tables->bytes, tables->used);
    append_bytes(kit, block.bytes, block.used);
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    session->steps_allowed = 1u << 24; /* to be quick */
    CHECK_EQ(read_to_end(kit, session), XENOPROF_INVALID);
    xenoprof_session_close(session);
    buffer_free(&block);
    kit_destroy(kit);
}

TEST(tables_of_many_rows_in_few_bytes_are_refused)
{
    static const uint8_t numbers[] = {
        SESSION_TABLE_VCPU,    SESSION_TABLE_RING, SESSION_TABLE_SHAPE,
        SESSION_TABLE_ACCOUNT, SESSION_TABLE_IDLE, SESSION_TABLE_NOTE};

    for ( size_t i = 0; i < sizeof(numbers); i++ )
    {
        struct buffer tables = {.bytes = NULL};

        for ( unsigned int j = 0; j < 10000; j++ )
            put_large_table(&tables, numbers[i], 0);
        refuse_tables(&tables);
        buffer_free(&tables);
    }
}

TEST(a_column_again_and_again_is_refused)
{
    struct buffer tables = {.bytes = NULL};

    put_large_table(&tables, SESSION_TABLE_VCPU, 100000);
    refuse_tables(&tables);
    buffer_free(&tables);
}

/* Items of ten bytes that name a text of 64 KiB. */
TEST(a_session_that_names_a_long_text_without_end_is_refused)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    char text[STRING_MAX + 1];

    memset(text, 'a', STRING_MAX);
    text[STRING_MAX] = 0;
    for ( uint64_t i = 0; i < 1000; i++ )
        kit_sample(kit, i + 1,
                   kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x1000 + i, text));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    session->steps_allowed = 500 * STRING_MAX / 4; /* to be quick */
    CHECK_EQ(read_to_end(kit, session), XENOPROF_INVALID);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

TEST(an_honest_session_takes_few_steps)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    uint64_t time = 0;
    uint32_t place = kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x1000, "f");

    /* All alike but for their times, whose lowest 18 bits jitter. */
    for ( uint32_t i = 0; i < 100000; i++ )
    {
        time += 1000000 + random() % (1 << 18);
        kit_sample(kit, time, place);
        if ( i == 50000 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    CHECK_EQ(read_to_end(kit, session), XENOPROF_END);
    CHECK(session->steps >= 100000 * STEPS_ITEM);
    CHECK(session->steps < session->steps_allowed - STEPS_FREE);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* Where nothing runs, a session has little but idle times. */
TEST(an_honest_session_of_an_idle_host_takes_few_steps)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;

    for ( uint64_t i = 0; i < 100000; i++ )
        KIT_OK(kit, xenoprof_writer_idle(
                        kit->writer, 1000000000 * (1 + i / 64), i % 64,
                        1000000000 * (1 + i / 64) - random() % 1000000));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    CHECK_EQ(read_to_end(kit, session), XENOPROF_END);
    CHECK(session->steps >= 100000 * STEPS_ITEM);
    CHECK(session->steps < session->steps_allowed - STEPS_FREE);
    xenoprof_session_close(session);
    kit_destroy(kit);
}
