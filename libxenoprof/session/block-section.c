/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables, from rows to bytes and back. */
#include <endian.h>
#include <string.h>

#include "block-section.h"

#define SIZE_BYTES 4u

/* Numbers that are cleared, and bytes of a text that are copied, in a step. */
#define STEP_CLEARS 4u
#define STEP_COPIES 2u

#define CHUNK 64u /* rows */

/* Numbers of tables that are read ahead, beyond which there is one more table
 * at most: 2 MiB. */
#define EARLY_NUMBERS_MAX (1u << 18)

/* Numbers between columns, so that the same row of all is not in one and the
 * same set of a cache. */
#define COLUMN_GAP 40u

uint64_t *session_rows_add(struct session_rows *rows,
                           const struct session_table *table)
{
    uint64_t *row;

    if ( !vector_reserve(rows, table->count) )
        return NULL;
    row = rows->items + rows->count;
    memset(row, 0, table->count * sizeof(*row));
    rows->count += table->count;
    return row;
}

void section_writer_free(struct section_writer *writer)
{
    column_packer_free(&writer->columns);
    buffer_free(&writer->section);
    vector_free(&writer->spare);
}

void section_reader_free(struct section_reader *reader)
{
    column_reader_free(&reader->columns);
    buffer_free(&reader->bytes);
    vector_free(&reader->room);
    vector_free(&reader->has);
    vector_free(&reader->spare);
}

bool section_spend(struct section_reader *reader, uint64_t steps)
{
    bool enough = steps <= reader->steps;

    reader->steps = enough ? reader->steps - steps : 0;
    return enough;
}

/* first: what a row has in the table's first column. */
static bool has_bit(const struct section_shapes *shapes,
                    const struct session_table *table, uint64_t first, int bit)
{
    uint64_t has = first;

    if ( bit == COLUMN_ALWAYS )
        return true;
    if ( table->columns[0].refers == SESSION_TABLE_SHAPE )
        has = first && first <= shapes->count ? shapes->items[first - 1] : 0;
    return has >> bit & 1;
}

static bool append_part_number(struct buffer *to, uint64_t number)
{
    uint8_t bytes[NUMBER_BYTES];

    return buffer_append(to, bytes,
                         (size_t)(put_number(bytes, number) - bytes));
}

static bool put_column_head(struct buffer *to,
                            const struct session_column *column)
{
    bool all = column->when == COLUMN_ALWAYS;

    return append_part_number(to, (uint64_t)column->number << 1 | !all) &&
           (all || append_part_number(to, (uint64_t)column->when));
}

/* Returns how many rows have the column: their values are in spare. */
static size_t gather_column(struct section_writer *writer,
                            const struct session_table *table,
                            const struct session_column *column,
                            const uint64_t *rows, size_t count)
{
    uint64_t *to = writer->spare.items;

    for ( size_t i = 0; i < count; i++, rows += table->count )
        if ( has_bit(writer->shapes, table, rows[0], column->when) )
            *to++ = rows[column->number - 1];
    return (size_t)(to - writer->spare.items);
}

static bool is_zero(const uint64_t *values, size_t count)
{
    uint64_t any = 0;

    for ( size_t i = 0; i < count; i++ )
        any |= values[i];
    return !any;
}

static bool put_column(struct section_writer *writer,
                       const struct session_table *table,
                       const struct session_column *column,
                       const uint64_t *rows, size_t count,
                       const struct buffer *bytes)
{
    size_t have;

    if ( column->coding == COLUMN_BYTES )
        return !bytes->used ||
               (put_column_head(&writer->section, column) &&
                column_put_bytes(&writer->columns, bytes->bytes, bytes->used,
                                 &writer->section));
    have = gather_column(writer, table, column, rows, count);
    if ( is_zero(writer->spare.items, have) )
        return true;
    return put_column_head(&writer->section, column) &&
           column_put(&writer->columns, (enum column_coding)column->coding,
                      writer->spare.items, have, &writer->section);
}

bool section_put(struct section_writer *writer,
                 const struct session_table *table, const uint64_t *rows,
                 size_t count, uint64_t first, const struct buffer *bytes)
{
    struct buffer *section = &writer->section;
    uint32_t size = 0;
    size_t size_at;
    bool done;

    writer->spare.count = 0;
    if ( !vector_reserve(&writer->spare, count) ||
         !append_part_number(section, table->number) )
        return false;
    size_at = section->used;
    done = buffer_append(section, &size, sizeof(size)) &&
           append_part_number(section, count) &&
           append_part_number(section, first);
    for ( size_t i = 0; done && i < table->count; i++ )
        done = put_column(writer, table, &table->columns[i], rows, count,
                          bytes);
    size = htole32((uint32_t)(section->used - size_at - sizeof(size)));
    if ( done )
        memcpy(section->bytes + size_at, &size, sizeof(size));
    return done;
}

/* The next table's bytes, behind its size. */
static struct cursor get_table(struct cursor *section, uint64_t *number)
{
    struct cursor table = {.at = NULL};
    const uint8_t *bytes;
    uint32_t size;

    *number = get_number(section);
    bytes = get_bytes(section, SIZE_BYTES);
    if ( section->bad )
        return table;
    memcpy(&size, bytes, sizeof(size));
    size = le32toh(size);
    table.at = get_bytes(section, size);
    if ( table.at )
        table.end = table.at + size;
    return table;
}

static enum column_result make_column_room(struct section_reader *reader)
{
    const size_t stride = reader->count + COLUMN_GAP;
    size_t room = stride * reader->table.count;

    if ( !vector_reserve(&reader->room, room) ||
         !vector_reserve(&reader->has, reader->count) ||
         !vector_reserve(&reader->spare, reader->count + 1) )
        return COLUMN_NO_MEMORY;
    for ( size_t i = 0; i < reader->table.count; i++ )
        reader->values[i] = reader->room.items + i * stride;
    reader->there = 0;
    reader->has.count = 0;
    return COLUMN_OK;
}

/* Those that are not read are of samples only. */
static uint32_t unwanted(const struct section_reader *reader)
{
    return reader->table.number == SESSION_TABLE_SAMPLE ? reader->unwanted : 0;
}

/* A column that was not there is all zeroes. */
static enum column_result clear_columns(struct section_reader *reader)
{
    const uint32_t leave = reader->there | unwanted(reader);

    for ( size_t i = 0; i < reader->table.count; i++ )
    {
        if ( leave >> i & 1 )
            continue;
        if ( !section_spend(reader, reader->count / STEP_CLEARS) )
            return COLUMN_BAD;
        memset(reader->values[i], 0,
               reader->count * sizeof(*reader->values[i]));
    }
    return COLUMN_OK;
}

static void copy_has(const struct section_shapes *shapes,
                     const uint64_t *restrict first, size_t count,
                     uint64_t *restrict has)
{
    const uint64_t *items = shapes->items;
    const size_t known = shapes->count;

    for ( size_t i = 0; i < count; i++ )
        has[i] = first[i] - 1 < known ? items[first[i] - 1] : 0;
}

/* What each row has, as has_bit() sees it. */
static void find_has(struct section_reader *reader)
{
    const uint64_t *first = reader->values[0];
    uint64_t *has = reader->has.items;

    if ( reader->has.count )
        return;
    reader->has.count = reader->count;
    if ( !(reader->there & 1) )
        memset(has, 0, reader->count * sizeof(*has));
    else if ( reader->table.columns[0].refers == SESSION_TABLE_SHAPE )
        copy_has(reader->shapes, first, reader->count, has);
    else
        memcpy(has, first, reader->count * sizeof(*has));
}

static size_t count_rows(const struct section_reader *reader, int when)
{
    const uint64_t *restrict has = reader->has.items;
    const size_t count = reader->count;
    size_t i = 0, have = 0;

    /* In loops of a length that a compiler knows: it makes them vector code. */
    for ( ; i + CHUNK <= count; i += CHUNK )
        for ( size_t j = 0; j < CHUNK; j++ )
            have += has[i + j] >> when & 1;
    for ( ; i < count; i++ )
        have += has[i] >> when & 1;
    return have;
}

/* spare has the values of the rows with this bit, and one more, which is looked
 * at and is nobody's. */
static void spread_column(const struct section_reader *reader, int when,
                          uint64_t *restrict values)
{
    const uint64_t *restrict from = reader->spare.items;
    const uint64_t *restrict has = reader->has.items;
    const size_t count = reader->count;

    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t bit = has[i] >> when & 1;

        values[i] = *from & -bit;
        from += bit;
    }
}

static enum column_result get_numbers(struct section_reader *reader,
                                      struct cursor *columns, uint64_t number,
                                      int when)
{
    uint64_t *values = reader->values[number - 1];
    enum column_result result;

    if ( !section_spend(reader, reader->count) )
        return COLUMN_BAD;
    reader->there |= 1u << (number - 1);
    if ( number == 1 )
        reader->has.count = 0;
    if ( when == COLUMN_ALWAYS )
        return column_get(&reader->columns, columns, reader->count, values);
    if ( number == 1 )
        return COLUMN_BAD;
    find_has(reader);
    result = column_get(&reader->columns, columns, count_rows(reader, when),
                        reader->spare.items);
    if ( !result )
        spread_column(reader, when, values);
    return result;
}

static enum column_result get_text(struct section_reader *reader,
                                   struct cursor *columns)
{
    enum column_result result = column_get_bytes(&reader->columns, columns);
    struct buffer bytes = reader->bytes;

    reader->bytes = reader->columns.bytes;
    reader->columns.bytes = bytes;
    return !result && !section_spend(reader, reader->bytes.used / STEP_COPIES)
               ? COLUMN_BAD
               : result;
}

static enum column_result get_column(struct section_reader *reader,
                                     struct cursor *columns)
{
    uint64_t head = get_number(columns), number = head >> 1;
    int when = head & 1 ? (int)get_bounded(columns, 63) : COLUMN_ALWAYS;
    enum column_result result;
    uint64_t steps;

    if ( columns->bad || !number )
        return COLUMN_BAD;
    if ( number > reader->table.count || unwanted(reader) >> (number - 1) & 1 )
        return column_skip(columns);
    result = reader->table.columns[number - 1].coding == COLUMN_BYTES
                 ? get_text(reader, columns)
                 : get_numbers(reader, columns, number, when);
    /* What zstd unpacked of a column counts, too: a few bytes may be many. */
    steps = reader->columns.steps;
    reader->columns.steps = 0;
    return !section_spend(reader, steps) && !result ? COLUMN_BAD : result;
}

static enum column_result get_columns(struct section_reader *reader,
                                      struct cursor *columns)
{
    enum column_result result;

    reader->count = (size_t)get_bounded(columns, COLUMN_ROWS_MAX);
    reader->first = get_number(columns);
    reader->bytes.used = 0;
    if ( columns->bad || !reader->count )
        return COLUMN_BAD;
    result = make_column_room(reader);
    while ( !result && cursor_left(columns) )
        result = get_column(reader, columns);
    return result ? result : clear_columns(reader);
}

static bool is_passed(const struct section_reader *reader, uint64_t number)
{
    return number < 32 && reader->passed >> number & 1;
}

/* Of any number that is known, if wanted is 0. */
static enum column_result find_table(struct section_reader *reader,
                                     struct cursor *section, uint64_t wanted,
                                     bool *end)
{
    *end = false;
    while ( cursor_left(section) )
    {
        uint64_t number;
        struct cursor table = get_table(section, &number);

        if ( section->bad )
            return COLUMN_BAD;
        if ( (!wanted || number == wanted) && !is_passed(reader, number) &&
             session_table_find(number, &reader->table) )
            return get_columns(reader, &table);
    }
    *end = true;
    return COLUMN_OK;
}

#define SWAP(a, b)                                                             \
    do                                                                         \
    {                                                                          \
        typeof(a) swap_ = (a);                                                 \
        (a) = (b);                                                             \
        (b) = swap_;                                                           \
    } while ( 0 )

#define SWAP_ROOM(a, b)                                                        \
    do                                                                         \
    {                                                                          \
        SWAP((a).items, (b).items);                                            \
        SWAP((a).count, (b).count);                                            \
        SWAP((a).room, (b).room);                                              \
    } while ( 0 )

/* What a reader read last becomes table. */
static void keep_table(struct section_reader *reader, struct early_table *table)
{
    table->table = reader->table;
    table->count = reader->count;
    table->first = reader->first;
    table->there = reader->there;
    memcpy(table->values, reader->values, sizeof(table->values));
    SWAP(reader->bytes, table->bytes);
    SWAP_ROOM(reader->room, table->room);
}

/* Takes the next table from those that were read ahead, in whose room its
 * numbers stay: the reader's own may be that of samples, which is larger. */
static enum column_result take_early_table(struct section_reader *reader,
                                           struct cursor *section, bool *end)
{
    struct early_table *table = &reader->early->items[reader->early->next++];

    *end = false;
    if ( !section_spend(reader, table->steps) )
        return COLUMN_BAD;
    section->at += table->size;
    reader->table = table->table;
    reader->count = table->count;
    reader->first = table->first;
    reader->there = table->there;
    memcpy(reader->values, table->values, sizeof(reader->values));
    SWAP(reader->bytes, table->bytes);
    return COLUMN_OK;
}

enum column_result section_next(struct section_reader *reader,
                                struct cursor *section, bool *end)
{
    return reader->early && reader->early->next < reader->early->known
               ? take_early_table(reader, section, end)
               : find_table(reader, section, 0, end);
}

/* Whether what the next table's rows have depends on shapes; those that are not
 * known are no tables. */
static bool needs_shapes(struct cursor section)
{
    struct session_table table;

    while ( cursor_left(&section) )
    {
        uint64_t number;

        get_table(&section, &number);
        if ( section.bad )
            return false;
        if ( session_table_find(number, &table) )
            return table.columns[0].refers == SESSION_TABLE_SHAPE;
    }
    return false;
}

/* The memory that a table takes, in numbers. */
static size_t numbers_of(const struct early_table *table)
{
    return table->room.room +
           (sizeof(*table) + table->bytes.room) / sizeof(uint64_t);
}

/* Memory is used again, unless it is that of tables that were large once. */
static void begin_early(struct early_tables *early)
{
    size_t numbers = 0;

    for ( size_t i = 0; i < early->count; i++ )
        numbers += numbers_of(&early->items[i]);
    if ( numbers > 2 * EARLY_NUMBERS_MAX )
        early_tables_free(early);
    early->known = early->next = 0;
}

/* Room for one more; NULL: no memory. */
static struct early_table *make_table(struct early_tables *early)
{
    return early->known < early->count ? &early->items[early->known]
                                       : vector_add(early);
}

/* Returns false if that was the last one. */
static bool read_early_table(struct section_reader *reader,
                             struct cursor *section, struct early_tables *ret)
{
    const uint64_t steps = reader->steps;
    const uint8_t *begin = section->at;
    struct early_table *table = needs_shapes(*section) ? NULL : make_table(ret);
    bool end = false;

    if ( !table || find_table(reader, section, 0, &end) || end )
        return false;
    table->size = (size_t)(section->at - begin);
    table->steps = steps - reader->steps;
    keep_table(reader, table);
    ret->known++;
    return true;
}

void section_read_early(struct section_reader *reader, struct cursor section,
                        struct early_tables *ret)
{
    size_t numbers = 0;

    begin_early(ret);
    /* The reader's own room stays what it is: it may be that of samples, which
     * no table needs. */
    SWAP_ROOM(reader->room, ret->spare);
    while ( numbers <= EARLY_NUMBERS_MAX &&
            read_early_table(reader, &section, ret) )
        numbers += numbers_of(&ret->items[ret->known - 1]);
    SWAP_ROOM(reader->room, ret->spare);
}

void early_tables_free(struct early_tables *early)
{
    for ( size_t i = 0; i < early->count; i++ )
    {
        vector_free(&early->items[i].room);
        buffer_free(&early->items[i].bytes);
    }
    vector_free(&early->spare);
    vector_free(early);
}

enum column_result section_find(struct section_reader *reader,
                                struct cursor *section, uint64_t number,
                                bool *end)
{
    return find_table(reader, section, number, end);
}
