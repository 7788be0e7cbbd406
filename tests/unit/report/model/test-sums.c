/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report says the same whether it takes a session's sums or not, and whatever
 * these are: of a made-up session, whose blocks are written anew with other
 * sums.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-writer.h"
#include "report/model/gather.h"
#include "report/model/load.h"
#include "report/text/layout.h"
#include "report/views.h"
#include "tests/harness.h"

#define MS      1000000ull
#define SECOND  (1000 * MS)
#define SECONDS 20u
#define EACH    40u /* samples of a second */
#define DOMAINS 3u
#define VCPUS   2u
#define PCPUS   4u

#define JSON view_table[VIEW_json].view
#define ROWS view_table[VIEW_rows].view

static char folder[64];
static struct layout layout;

static void put_accounts(struct xenoprof_writer *writer, uint64_t second)
{
    const uint64_t time = (second + 1) * SECOND;

    for ( uint16_t i = 0; i < PCPUS; i++ )
        CHECK(!xenoprof_writer_idle(writer, time, i, time / 8 * i));
    for ( uint16_t i = 0; second > 1 && i < DOMAINS * VCPUS; i++ )
    {
        const struct xenoprof_waited waited = {
            .domain = i / VCPUS + 1,
            .vcpu = i % VCPUS,
            .span = SECOND,
            .running = (200 + second % 3 * 100 + i * 50) * MS};

        CHECK(!xenoprof_writer_wait(writer, time, &waited));
    }
}

static void put_sample(struct xenoprof_writer *writer, uint64_t second,
                       unsigned int index)
{
    static const char *const names[] = {"f", "g", "h"};
    const unsigned int of = (index + (unsigned int)second) % 5;
    struct xenoprof_place place = {.mode = XENOPROF_MODE_XEN,
                                   .address = 0xffff82d040200000u + of % 3 * 64,
                                   .image = "xen",
                                   .symbol = names[of % 3]};
    const struct xenoprof_stored sample = {
        .time = second * SECOND + index * 20 * MS,
        .period = 10 * MS,
        .domain = (uint16_t)(1 + of % DOMAINS),
        .vcpu = (uint16_t)(index * index % 7 % VCPUS),
        .pcpu = (uint16_t)(index % PCPUS),
        .weight = 1};
    uint32_t number;

    CHECK(!xenoprof_writer_place(writer, &place, &number));
    CHECK(!xenoprof_writer_sample(writer, &sample, &number, 1));
}

static void write_session(void)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_writer *writer;

    strcpy(folder, "/tmp/xenoprof-sums-XXXXXX");
    CHECK(mkdtemp(folder));
    CHECK(!xenoprof_writer_create(handle, folder, &writer));
    for ( uint16_t i = 1; i <= DOMAINS; i++ )
    {
        const uint8_t uuid[16] = {(uint8_t)i};
        char name[16];

        snprintf(name, sizeof(name), "guest-%u", i);
        CHECK(
            !xenoprof_writer_domain(writer, SECOND, i, uuid, name, "passive"));
    }
    for ( uint64_t second = 1; second <= SECONDS; second++ )
    {
        for ( unsigned int i = 0; i < EACH; i++ )
            put_sample(writer, second, i);
        put_accounts(writer, second);
        CHECK(!xenoprof_writer_flush(writer));
    }
    CHECK(!xenoprof_writer_close(writer, (SECONDS + 1) * SECOND));
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
}

static void begin(void)
{
    struct failure failure = {.status = STATUS_DONE};

    layout = (struct layout){.width = 100};
    CHECK(!screen_init(&layout.screen, "never", &failure));
    write_session();
}

static void end(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    CHECK(!system(command));
}

/* The blocks of the session's file, one after the other. */
struct blocks {
    struct buffer file;
    size_t at; /* of the next one */
    struct session_block_header header;
    struct section_writer tables;
    struct buffer samples;
};

static const char *file_path(void)
{
    static char path[96];

    snprintf(path, sizeof(path), "%s/DATA.0000", folder);
    return path;
}

static void open_blocks(struct blocks *blocks)
{
    FILE *file = fopen(file_path(), "re");

    *blocks = (struct blocks){.at = sizeof(struct session_file_header)};
    CHECK(file && column_packer_init(&blocks->tables.columns));
    CHECK(buffer_reserve(&blocks->file, 1 << 20));
    blocks->file.used = fread(blocks->file.bytes, 1, 1 << 20, file);
    fclose(file);
}

/* Copies all tables but that of ticks. */
static void take_tables(struct blocks *blocks, const uint8_t *at)
{
    struct cursor section = {at, at + blocks->header.tables_size, false};

    blocks->tables.section.used = 0;
    while ( section.at < section.end )
    {
        const uint8_t *table = section.at;
        const uint64_t number = get_number(&section);
        uint32_t size;

        memcpy(&size, get_bytes(&section, sizeof(size)), sizeof(size));
        CHECK(get_bytes(&section, size));
        if ( number != SESSION_TABLE_TICKS )
            CHECK(buffer_append(&blocks->tables.section, table,
                                (size_t)(section.at - table)));
    }
}

/* Returns false after the last one. */
static bool next_block(struct blocks *blocks)
{
    const uint8_t *at = blocks->file.bytes + blocks->at;

    if ( blocks->at == blocks->file.used )
        return false;
    memcpy(&blocks->header, at, sizeof(blocks->header));
    at += sizeof(blocks->header);
    take_tables(blocks, at);
    blocks->samples.used = 0;
    CHECK(buffer_append(&blocks->samples, at + blocks->header.tables_size,
                        blocks->header.samples_size));
    blocks->at += sizeof(blocks->header) + session_block_size(&blocks->header);
    return true;
}

/* What a block says of its samples: so many rows, of any vCPUs and seconds. */
static void put_ticks(struct blocks *blocks, size_t count, uint64_t ns)
{
    struct session_rows rows = {NULL, 0, 0};
    struct session_table table;

    CHECK(session_table_find(SESSION_TABLE_TICKS, &table));
    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t *row = session_rows_add(&rows, &table);

        CHECK(row);
        row[SESSION_TICKS_VCPU] = 1 + i % (DOMAINS * VCPUS);
        row[SESSION_TICKS_SECOND] = i / (DOMAINS * VCPUS);
        row[SESSION_TICKS_TIME] = ns;
        row[SESSION_TICKS_SCALE] = 1;
    }
    CHECK(!count ||
          section_put(&blocks->tables, &table, rows.items, count, 0, NULL));
    vector_free(&rows);
}

/* Blocks say that they have sums, or not; these are count rows of ns each. */
static void rewrite(bool sums, size_t count, uint64_t ns)
{
    struct buffer whole = {NULL, 0, 0};
    struct blocks blocks;
    FILE *file;

    open_blocks(&blocks);
    CHECK(buffer_append(&whole, blocks.file.bytes, blocks.at));
    while ( next_block(&blocks) )
    {
        put_ticks(&blocks, count, ns);
        blocks.header.flags &= ~SESSION_BLOCK_TICKS;
        blocks.header.flags |= sums ? SESSION_BLOCK_TICKS : 0;
        session_block_seal(&blocks.header, &blocks.tables.section,
                           &blocks.samples);
        CHECK(buffer_append(&whole, &blocks.header, sizeof(blocks.header)) &&
              buffer_append(&whole, blocks.tables.section.bytes,
                            blocks.tables.section.used) &&
              buffer_append(&whole, blocks.samples.bytes, blocks.samples.used));
    }
    file = fopen(file_path(), "we");
    CHECK(file && fwrite(whole.bytes, 1, whole.used, file) == whole.used);
    CHECK(!fclose(file));
    section_writer_free(&blocks.tables);
    buffer_free(&blocks.samples);
    buffer_free(&blocks.file);
    buffer_free(&whole);
}

/* Samples of a block in the middle become nonsense. */
static void damage(void)
{
    struct blocks blocks;
    FILE *file;

    open_blocks(&blocks);
    for ( unsigned int i = 0; i < 7; i++ )
        CHECK(next_block(&blocks));
    blocks.file.bytes[blocks.at - 1] ^= 1;
    file = fopen(file_path(), "we");
    CHECK(file && fwrite(blocks.file.bytes, 1, blocks.file.used, file) ==
                      blocks.file.used);
    CHECK(!fclose(file));
    section_writer_free(&blocks.tables);
    buffer_free(&blocks.samples);
    buffer_free(&blocks.file);
}

/* Of its last part, if seconds are not 0; malloc'ed. */
static char *print(const struct view *view, uint64_t seconds)
{
    const struct view_options options = {.argument = NULL};
    const struct query query = {
        .session_dir = folder,
        .sort = {.count = 2, .label = {LABEL_DOMAIN, LABEL_SYMBOL}},
        .silent = true};
    struct query some = query;
    struct failure failure = {.status = STATUS_DONE};
    struct gathered_session gathered = {.whole = false};
    struct report report = {.query = &some,
                            .layout = &layout,
                            .options = &options,
                            .loaded = &gathered.loaded,
                            .stacks = &gathered.stacks,
                            .name = "test",
                            .path = folder};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if ( seconds )
        some.selection.range.from = (struct time_point){
            .kind = TIME_SINCE_START, .ns = seconds * SECOND + SECOND / 2};
    if ( gather(&gathered, &some, folder, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    CHECK(!gathered.loaded.sums_wrong);
    view->print(&report, file);
    fclose(file);
    gathered_free(&gathered);
    return text;
}

/* Whether samples were other ones than the sums said, when it is read once. */
static bool sums_are_wrong(void)
{
    static const struct time_range range = {.from = {.kind = TIME_OPEN}};
    const struct load_wanted wanted = {.range = &range, .silent = true};
    struct failure failure = {.status = STATUS_DONE};
    struct loaded loaded;
    bool wrong;

    loaded_init(&loaded);
    CHECK_EQ(load_session(&loaded, folder, &wanted, &failure), STATUS_DONE);
    wrong = loaded.sums_wrong;
    loaded_free(&loaded);
    return wrong;
}

/* What is said is what would be said if no block had sums. */
static void check_without(void)
{
    char *with[2] = {print(JSON, 0), print(JSON, 5)}, *without[2];

    rewrite(false, 0, 0);
    CHECK(!sums_are_wrong());
    without[0] = print(JSON, 0);
    without[1] = print(JSON, 5);
    for ( size_t i = 0; i < 2; i++ )
    {
        CHECK_TEXT(with[i], without[i]);
        free(with[i]);
        free(without[i]);
    }
}

TEST(true_sums_are_as_good_as_samples)
{
    begin();
    CHECK(!sums_are_wrong());
    check_without();
    end();
}

TEST(sums_that_lie_change_nothing)
{
    static const uint64_t lies[] = {1, 60 * MS, UINT64_MAX};

    begin();
    for ( size_t count = 0; count <= 40; count += 6 )
        for ( size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
        {
            rewrite(true, count, lies[i]);
            CHECK(sums_are_wrong());
            check_without();
        }
    end();
}

TEST(sums_of_samples_that_are_lost_change_nothing)
{
    char *with, *without;

    begin();
    damage();
    CHECK(sums_are_wrong());
    with = print(ROWS, 0);
    end();
    begin();
    rewrite(false, 0, 0);
    damage();
    without = print(ROWS, 0);
    CHECK(strstr(with, "guest-1"));
    CHECK_TEXT(with, without);
    free(with);
    free(without);
    end();
}
