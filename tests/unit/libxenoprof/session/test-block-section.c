/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables come back; those and their columns that are not known are skipped. */
#include <string.h>

#include "libxenoprof/session/block-section.h"
#include "tests/harness.h"

static struct section_writer writer;
static struct section_reader reader;
static struct section_shapes shapes;
static const struct buffer nothing;

static void begin(void)
{
    memset(&writer, 0, sizeof(writer));
    memset(&reader, 0, sizeof(reader));
    CHECK(column_packer_init(&writer.columns));
    reader.columns.zstd = ZSTD_createDCtx();
    writer.shapes = reader.shapes = &shapes;
    reader.steps = UINT64_MAX;
}

static void end(void)
{
    section_writer_free(&writer);
    section_reader_free(&reader);
    vector_free(&shapes);
}

static struct session_table table_of(uint32_t number)
{
    struct session_table table;

    CHECK(session_table_find(number, &table));
    return table;
}

static struct cursor all(void)
{
    return (struct cursor){writer.section.bytes,
                           writer.section.bytes + writer.section.used, false};
}

static void put_vcpus(size_t count)
{
    struct session_table table = table_of(SESSION_TABLE_VCPU);
    struct session_rows rows = {NULL, 0, 0};

    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t *row = session_rows_add(&rows, &table);

        row[SESSION_VCPU_DOMAIN] = i / 4;
        row[SESSION_VCPU_NUMBER] = i % 4;
    }
    CHECK(section_put(&writer, &table, rows.items, count, 11, &nothing));
    vector_free(&rows);
}

static void check_vcpus(size_t count)
{
    CHECK_EQ(reader.table.number, SESSION_TABLE_VCPU);
    CHECK_EQ(reader.count, count);
    CHECK_EQ(reader.first, 11);
    for ( size_t i = 0; i < count; i++ )
    {
        CHECK_EQ(reader.values[SESSION_VCPU_DOMAIN][i], i / 4);
        CHECK_EQ(reader.values[SESSION_VCPU_NUMBER][i], i % 4);
    }
}

TEST(tables_come_back_one_after_the_other)
{
    struct cursor cursor;
    bool over;

    begin();
    put_vcpus(100);
    put_vcpus(1);
    cursor = all();
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    check_vcpus(100);
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    check_vcpus(1);
    CHECK(!over);
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    CHECK(over);
    end();
}

TEST(rows_have_only_the_columns_that_they_say)
{
    struct session_table table = table_of(SESSION_TABLE_PLACE);
    struct session_rows rows = {NULL, 0, 0};
    struct cursor cursor;
    bool over;

    begin();
    for ( uint64_t i = 0; i < 50; i++ )
    {
        uint64_t *row = session_rows_add(&rows, &table);

        row[SESSION_PLACE_HAS] = i % 3 ? PLACE_HAS_OFFSET : PLACE_HAS_ADDRESS;
        row[SESSION_PLACE_OFFSET] = i % 3 ? 1000 - i : 0;
        row[SESSION_PLACE_ADDRESS] = i % 3 ? 0 : 0xffffffff81000000u + i;
    }
    CHECK(section_put(&writer, &table, rows.items, 50, 1, &nothing));
    cursor = all();
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    for ( size_t i = 0; i < 50; i++ )
        for ( size_t j = 0; j < table.count; j++ )
            CHECK_EQ(reader.values[j][i], rows.items[i * table.count + j]);
    vector_free(&rows);
    end();
}

/* What has a number that this program does not know, and a known table with one
 * more column. */
TEST(what_is_not_known_is_skipped)
{
    const struct session_column strange[] = {
        {77, 1, "one", COLUMN_PLAIN, COLUMN_ALWAYS, 0, ""},
        {77, 2, "two", COLUMN_DIFFERENCES, 3, 0, ""}};
    struct session_column more[] = {
        {SESSION_TABLE_VCPU, 1, "", COLUMN_DIFFERENCES, COLUMN_ALWAYS, 0, ""},
        {SESSION_TABLE_VCPU, 2, "", COLUMN_PLAIN, COLUMN_ALWAYS, 0, ""},
        {SESSION_TABLE_VCPU, 3, "", COLUMN_PLAIN, COLUMN_ALWAYS, 0, ""},
        {SESSION_TABLE_VCPU, 4, "", COLUMN_BYTES, COLUMN_ALWAYS, 0, ""}};
    const struct session_table unknown = {77,      "strange", TABLE_ROWS,
                                          strange, 2,         0};
    const struct session_table newer = {
        SESSION_TABLE_VCPU, "vcpu", TABLE_SMALL, more, 4, 0};
    const struct buffer bytes = {(uint8_t *)"later", 5, 5};
    const uint64_t rows[] = {9, 300, 1, 7};
    const uint64_t vcpus[] = {0, 0, 5, 0, 0, 1, 6, 0, 0, 2, 70000, 0};
    struct cursor cursor;
    bool over;

    begin();
    CHECK(section_put(&writer, &unknown, rows, 2, 0, &nothing));
    CHECK(section_put(&writer, &newer, vcpus, 3, 11, &bytes));
    CHECK(section_put(&writer, &unknown, rows, 2, 0, &nothing));
    cursor = all();
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    check_vcpus(3);
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    CHECK(over);
    end();
}

TEST(samples_have_the_columns_of_their_shape)
{
    const uint64_t has[] = {0, SHAPE_HAS_KERNEL | SHAPE_HAS_XEN,
                            SHAPE_HAS_USER};
    struct session_table table = table_of(SESSION_TABLE_SAMPLE);
    struct session_rows rows = {NULL, 0, 0};
    struct cursor cursor;
    bool over;

    begin();
    CHECK(vector_reserve(&shapes, 3));
    memcpy(shapes.items, has, sizeof(has));
    shapes.count = 3;
    for ( uint64_t i = 0; i < 30; i++ )
    {
        uint64_t *row = session_rows_add(&rows, &table), bits = has[i % 3];

        row[SESSION_SAMPLE_SHAPE] = i % 3 + 1;
        row[SESSION_SAMPLE_USER] = bits & SHAPE_HAS_USER ? i : 0;
        row[SESSION_SAMPLE_KERNEL] = bits & SHAPE_HAS_KERNEL ? i + 5 : 0;
        row[SESSION_SAMPLE_XEN] = bits & SHAPE_HAS_XEN ? i * i : 0;
    }
    CHECK(section_put(&writer, &table, rows.items, 30, 0, &nothing));
    cursor = all();
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    for ( size_t i = 0; i < 30; i++ )
        for ( size_t j = 0; j < table.count; j++ )
            CHECK_EQ(reader.values[j][i], rows.items[i * table.count + j]);
    /* A reader that lost the shapes cannot tell whose numbers these are. */
    shapes.count = 0;
    cursor = all();
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_BAD);
    vector_free(&rows);
    end();
}

TEST(a_section_that_is_cut_is_none)
{
    bool over;

    begin();
    put_vcpus(100);
    for ( size_t cut = 1; cut < writer.section.used; cut++ )
    {
        struct cursor cursor = {writer.section.bytes,
                                writer.section.bytes + cut, false};

        CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_BAD);
    }
    end();
}

/* A column of 40,000 equal numbers is a few bytes. */
TEST(more_work_than_is_allowed_is_refused)
{
    struct session_table table = table_of(SESSION_TABLE_VCPU);
    struct session_rows rows = {NULL, 0, 0};
    struct cursor cursor;
    bool over;

    begin();
    for ( size_t i = 0; i < 40000; i++ )
        session_rows_add(&rows, &table)[SESSION_VCPU_DOMAIN] = 1;
    CHECK(section_put(&writer, &table, rows.items, 40000, 1, &nothing));
    CHECK(writer.section.used < 40);
    reader.steps = 200000;
    cursor = all();
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_OK);
    CHECK(reader.steps > 0 && reader.steps < 60000);
    cursor = all();
    CHECK_EQ(section_next(&reader, &cursor, &over), COLUMN_BAD);
    CHECK_EQ(reader.steps, 0);
    vector_free(&rows);
    end();
}

static void put_texts(const char *text)
{
    struct session_table table = table_of(SESSION_TABLE_TEXT);
    struct buffer bytes = {.used = 0};
    const uint64_t length = strlen(text);

    CHECK(buffer_append(&bytes, text, length));
    CHECK(section_put(&writer, &table, &length, 1, 1, &bytes));
    buffer_free(&bytes);
}

/* Of a shape that says that it has a time. */
static void put_samples(size_t count)
{
    struct session_table table = table_of(SESSION_TABLE_SAMPLE);
    struct session_rows rows = {NULL, 0, 0};

    for ( size_t i = 0; i < count; i++ )
        session_rows_add(&rows, &table)[SESSION_SAMPLE_SHAPE] = 1;
    CHECK(section_put(&writer, &table, rows.items, count, 0, &nothing));
    vector_free(&rows);
}

/* What a reader says of all tables, up to the end or an error. */
struct read_outcome {
    uint64_t sum, tables, steps;
    size_t left; /* bytes of the section */
    enum column_result result;
};

static struct read_outcome read_all(struct early_tables *early, uint64_t steps)
{
    struct cursor cursor = all();
    struct read_outcome said = {.sum = 0};
    bool over = false;

    reader.steps = steps;
    reader.early = early;
    while ( !said.result && !over )
    {
        said.result = section_next(&reader, &cursor, &over);
        if ( said.result || over )
            break;
        said.tables++;
        said.sum = said.sum * 31 + reader.table.number * reader.count +
                   reader.first + reader.there;
        for ( size_t i = 0; i < reader.table.count; i++ )
            for ( size_t j = 0; j < reader.count; j++ )
                said.sum = said.sum * 31 + reader.values[i][j];
        for ( size_t i = 0; i < reader.bytes.used; i++ )
            said.sum = said.sum * 31 + (uint8_t)reader.bytes.bytes[i];
    }
    reader.early = NULL;
    said.steps = reader.steps;
    said.left = (size_t)(cursor.end - cursor.at);
    return said;
}

static void check_same(struct read_outcome one, struct read_outcome other)
{
    CHECK_EQ(one.result, other.result);
    CHECK_EQ(one.tables, other.tables);
    CHECK_EQ(one.sum, other.sum);
    CHECK_EQ(one.steps, other.steps);
    if ( !one.result )
        CHECK_EQ(one.left, other.left);
}

/* Each byte of the last table is another one in turn, and steps are few. */
TEST(tables_that_were_read_ahead_are_the_same)
{
    struct early_tables early = {.known = 0};
    struct section_reader thread = {.steps = 0};
    size_t begin_last;

    begin();
    thread.columns.zstd = ZSTD_createDCtx();
    thread.shapes = &shapes;
    put_vcpus(100);
    put_texts("what a table of texts has");
    put_samples(20);
    begin_last = writer.section.used;
    put_vcpus(3);
    for ( size_t i = begin_last; i <= writer.section.used; i++ )
        for ( uint64_t steps = i < writer.section.used ? 1u << 20 : 0;
              steps <= 1u << 20; steps += 1u << 7 )
        {
            if ( i < writer.section.used )
                writer.section.bytes[i] ^= 0x55;
            thread.steps = UINT64_MAX;
            section_read_early(&thread, all(), &early);
            /* Not samples, for their shapes may be others. */
            CHECK_EQ(early.known, 2);
            check_same(read_all(&early, steps), read_all(NULL, steps));
            if ( i < writer.section.used )
                writer.section.bytes[i] ^= 0x55;
        }
    early_tables_free(&early);
    section_reader_free(&thread);
    end();
}

/* However small tables are, and however large some were before. */
TEST(tables_that_are_read_ahead_take_little_memory)
{
    struct early_tables early = {.known = 0};
    struct section_reader thread = {.steps = 0};
    size_t numbers = 0;

    begin();
    thread.columns.zstd = ZSTD_createDCtx();
    for ( unsigned int turn = 0; turn < 8; turn++ )
    {
        writer.section.used = 0;
        for ( unsigned int i = 0; i < 40 * turn; i++ )
            put_vcpus(1);
        put_vcpus(COLUMN_ROWS_MAX);
        for ( unsigned int i = 0; i < 20000; i++ )
            put_vcpus(1);
        thread.steps = UINT64_MAX;
        section_read_early(&thread, all(), &early);
        CHECK(early.known);
        numbers = 0;
        for ( size_t i = 0; i < early.count; i++ )
            numbers += early.items[i].room.room + sizeof(*early.items) / 8;
        CHECK(numbers <= 1u << 20);
        check_same(read_all(&early, 1u << 30), read_all(NULL, 1u << 30));
    }
    early_tables_free(&early);
    section_reader_free(&thread);
    end();
}

/* Both the thread that reads ahead and who takes it have read as many samples
 * as a block can have. */
TEST(tables_are_read_ahead_by_who_has_read_samples)
{
    struct early_tables early = {.known = 0};
    struct section_reader thread = {.steps = UINT64_MAX};
    struct cursor cursor;
    bool over;

    begin();
    thread.columns.zstd = ZSTD_createDCtx();
    thread.shapes = &shapes;
    for ( unsigned int turn = 0; turn < 3; turn++ )
    {
        writer.section.used = 0;
        put_samples(COLUMN_ROWS_MAX);
        cursor = all();
        CHECK_EQ(section_next(&thread, &cursor, &over), COLUMN_OK);
        CHECK(read_all(NULL, UINT64_MAX).tables == 1);
        writer.section.used = 0;
        for ( unsigned int i = 0; i < 10; i++ )
            put_vcpus(100);
        section_read_early(&thread, all(), &early);
        CHECK_EQ(early.known, 10);
        check_same(read_all(&early, 1u << 30), read_all(NULL, 1u << 30));
    }
    early_tables_free(&early);
    section_reader_free(&thread);
    end();
}

/* Samples behind a table that nobody knows wait for their shapes, too. */
TEST(samples_are_not_read_ahead)
{
    const struct session_column strange[] = {
        {77, 1, "one", COLUMN_PLAIN, COLUMN_ALWAYS, 0, ""}};
    const struct session_table unknown = {77,      "strange", TABLE_ROWS,
                                          strange, 1,         0};
    const uint64_t row = 9;
    struct early_tables early = {.known = 0};
    struct section_reader thread = {.steps = UINT64_MAX};

    begin();
    thread.columns.zstd = ZSTD_createDCtx();
    thread.shapes = &shapes;
    put_vcpus(3);
    CHECK(section_put(&writer, &unknown, &row, 1, 0, &nothing));
    put_samples(20);
    section_read_early(&thread, all(), &early);
    CHECK_EQ(early.known, 1);
    check_same(read_all(&early, 1u << 20), read_all(NULL, 1u << 20));
    early_tables_free(&early);
    section_reader_free(&thread);
    end();
}
