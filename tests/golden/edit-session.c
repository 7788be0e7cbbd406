/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit-session FROM TO SEED: a session of one file, FROM, becomes another, TO,
 * that no writer makes: some numbers in its tables and in the headers of its
 * blocks are others, tables and blocks are there twice or not at all, or the
 * file is cut.  Lengths and checksums are right, so that a reader gets to see
 * the rest.  Prints what it did, one edit a line; the seed repeats it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxenoprof/session/defined-tables.h"
#include "libxenoprof/session/session-block.h"

#define FILE_MAX (16u << 20)

struct session_editor {
    uint64_t random;
    unsigned int chance; /* one in so many rows has an edit */
    struct section_reader reader;
    struct section_shapes read;   /* shapes as they are in the session, */
    struct section_shapes shapes; /* and as they are edited */
    const uint8_t *at, *end;      /* of the file that is read */
    FILE *file;                   /* that is written */
};

static void need(bool ok, const char *what)
{
    if ( ok )
        return;
    fprintf(stderr, "edit-session: %s\n", what);
    exit(1);
}

static uint64_t draw(struct session_editor *editor, uint64_t below)
{
    editor->random = editor->random * 6364136223846793005u +
                     1442695040888963407u;
    return (editor->random >> 33) % below;
}

static bool one_in(struct session_editor *editor, uint64_t count)
{
    return draw(editor, count) == 0;
}

/* A number near one where something ends, or near what it was. */
static uint64_t other_number(struct session_editor *editor, uint64_t number)
{
    static const uint64_t ends[] = {0,
                                    1u << 8,
                                    1u << 12,
                                    1u << 16,
                                    1u << 20,
                                    1u << 24,
                                    1ull << 31,
                                    1ull << 32,
                                    1ull << 33,
                                    1ull << 40,
                                    1ull << 53,
                                    1ull << 62,
                                    1ull << 63,
                                    1000000000ul,
                                    0x7fffffffffff,
                                    0xffffffffff,
                                    UINT64_MAX / 1000,
                                    UINT64_MAX / 1000000000u};
    const uint64_t off = draw(editor, 5) - 2;

    switch ( draw(editor, 4) )
    {
    case 0: return number + (off ? off : 3);
    case 1: return -number;
    case 2: return number * (1 + draw(editor, 1000));
    default: return ends[draw(editor, sizeof(ends) / sizeof(ends[0]))] + off;
    }
}

static void edit_number(struct session_editor *editor, const char *table,
                        const char *what, size_t row, uint64_t *number)
{
    const uint64_t old = *number;

    *number = other_number(editor, old);
    printf("%s %zu %s %llu %llu\n", table, row, what, (unsigned long long)old,
           (unsigned long long)*number);
}

static void edit_row(struct session_editor *editor, size_t at, uint64_t *row)
{
    const struct session_table *table = &editor->reader.table;
    const struct session_column *column =
        &table->columns[draw(editor, table->count)];

    if ( column->coding != COLUMN_BYTES )
        edit_number(editor, table->name, column->name, at,
                    &row[column->number - 1]);
}

/* Texts and what columns are about are seldom edited: a reader goes no
 * further. */
static bool is_to_be_edited(struct session_editor *editor)
{
    const uint32_t number = editor->reader.table.number;

    return one_in(editor, number <= SESSION_TABLE_TEXT ? 100 * editor->chance
                                                       : editor->chance);
}

/* The rows of the table that was read last, side by side. */
static void copy_rows(struct session_editor *editor, struct session_rows *ret)
{
    const struct section_reader *reader = &editor->reader;

    for ( size_t i = 0; i < reader->count; i++ )
    {
        uint64_t *row = session_rows_add(ret, &reader->table);

        need(row, "no memory");
        for ( size_t slot = 0; slot < reader->table.count; slot++ )
            if ( reader->table.columns[slot].coding != COLUMN_BYTES )
                row[slot] = reader->values[slot][i];
        if ( is_to_be_edited(editor) )
            edit_row(editor, i, row);
    }
}

/* What samples have depends on shapes: to read them, and as a reader will see
 * them. */
static void learn_shapes(struct session_editor *editor,
                         const struct session_rows *rows)
{
    const struct section_reader *reader = &editor->reader;

    need(vector_reserve(&editor->read, reader->count) &&
             vector_reserve(&editor->shapes, reader->count),
         "no memory");
    for ( size_t i = 0; i < reader->count; i++ )
    {
        editor->read.items[editor->read.count++] =
            reader->values[SESSION_SHAPE_HAS][i];
        editor->shapes.items[editor->shapes.count++] =
            rows->items[i * reader->table.count + SESSION_SHAPE_HAS];
    }
}

static void put_table(struct session_editor *editor, struct section_writer *to)
{
    struct section_reader *reader = &editor->reader;
    struct session_rows rows = {.count = 0};
    uint64_t first = reader->first;
    unsigned int times = 1;

    copy_rows(editor, &rows);
    if ( reader->table.number == SESSION_TABLE_SHAPE )
        learn_shapes(editor, &rows);
    if ( one_in(editor, 20 * editor->chance) )
        edit_number(editor, reader->table.name, "first", 0, &first);
    if ( one_in(editor, 20 * editor->chance) )
    {
        times = one_in(editor, 2) ? 0 : 2;
        printf("%s %u times\n", reader->table.name, times);
    }
    while ( times-- )
        need(section_put(to, &reader->table, rows.items, reader->count, first,
                         &reader->bytes),
             "no memory");
    vector_free(&rows);
}

static void put_part(struct session_editor *editor, size_t size,
                     struct section_writer *to)
{
    struct cursor section = {.at = editor->at, .end = editor->at + size};
    bool end = false;

    editor->at += size;
    for ( ;; )
    {
        editor->reader.steps = UINT64_MAX / 2;
        need(!section_next(&editor->reader, &section, &end), "not a section");
        if ( end )
            return;
        put_table(editor, to);
    }
}

static void edit_header(struct session_editor *editor,
                        struct session_block_header *header)
{
    uint64_t small[2] = {header->samples, header->flags};
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"sequence", &header->sequence}, {"first", &header->first},
                   {"last", &header->last},         {"before", &header->before},
                   {"samples", &small[0]},          {"flags", &small[1]}};

    for ( size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++ )
        if ( one_in(editor, 4 * editor->chance) )
            edit_number(editor, "block", numbers[i].name, 0, numbers[i].number);
    header->samples = (uint32_t)small[0];
    header->flags = (uint32_t)small[1];
}

/* Writes a block again, with its sections edited. */
static void put_block(struct session_editor *editor)
{
    struct section_writer tables = {.shapes = &editor->shapes};
    struct section_writer samples = {.shapes = &editor->shapes};
    struct session_block_header header;
    size_t tables_size, samples_size;

    memcpy(&header, editor->at, sizeof(header));
    editor->at += sizeof(header);
    need(session_block_sound(&header) &&
             session_block_size(&header) <= (size_t)(editor->end - editor->at),
         "not a block");
    tables_size = header.tables_size;
    samples_size = header.samples_size;
    need(column_packer_init(&tables.columns) &&
             column_packer_init(&samples.columns),
         "no memory");
    put_part(editor, tables_size, &tables);
    put_part(editor, samples_size, &samples);
    edit_header(editor, &header);
    session_block_seal(&header, &tables.section, &samples.section);
    for ( int i = one_in(editor, 10 * editor->chance) ? 2 : 1; i > 0; i-- )
        need(fwrite(&header, sizeof(header), 1, editor->file) == 1 &&
                 fwrite(tables.section.bytes, 1, tables.section.used,
                        editor->file) == tables.section.used &&
                 fwrite(samples.section.bytes, 1, samples.section.used,
                        editor->file) == samples.section.used,
             "cannot write");
    section_writer_free(&tables);
    section_writer_free(&samples);
}

static uint8_t *read_whole(const char *folder, size_t *size)
{
    uint8_t *bytes = malloc(FILE_MAX);
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/DATA.0000", folder);
    file = fopen(path, "re");
    need(bytes && file, "cannot read the session");
    *size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    return bytes;
}

static void cut_file(struct session_editor *editor)
{
    long size = ftell(editor->file);

    if ( !one_in(editor, 5 * editor->chance) || size <= 0 )
        return;
    size = (long)draw(editor, (uint64_t)size);
    printf("file cut to %ld\n", size);
    need(!fflush(editor->file) && !ftruncate(fileno(editor->file), size),
         "cannot cut the file");
}

int main(int argc, char **argv)
{
    struct session_editor editor = {.random = 0};
    uint8_t *bytes;
    char path[4096];
    size_t size;

    need(argc == 4, "usage: edit-session FROM TO SEED");
    editor.random = strtoull(argv[3], NULL, 10) * 2654435761u + 1;
    editor.chance = 1u << draw(&editor, 6);
    editor.reader.shapes = &editor.read;
    editor.reader.columns.zstd = ZSTD_createDCtx();
    need(editor.reader.columns.zstd, "no memory");
    bytes = read_whole(argv[1], &size);
    need(size > sizeof(struct session_file_header), "not a session");
    snprintf(path, sizeof(path), "%s/DATA.0000", argv[2]);
    mkdir(argv[2], 0700);
    editor.file = fopen(path, "we");
    need(editor.file && fwrite(bytes, sizeof(struct session_file_header), 1,
                               editor.file) == 1,
         "cannot write the session");
    editor.at = bytes + sizeof(struct session_file_header);
    editor.end = bytes + size;
    while ( editor.end - editor.at >=
            (ptrdiff_t)sizeof(struct session_block_header) )
        put_block(&editor);
    cut_file(&editor);
    need(!fclose(editor.file), "cannot write the session");
    section_reader_free(&editor.reader);
    vector_free(&editor.read);
    vector_free(&editor.shapes);
    free(bytes);
    return 0;
}
