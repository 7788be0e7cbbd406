/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes sessions of version 2 that xenoprofd never writes: few bytes that are
 * much work for who reads them.  hostile-session.c makes those of version 1.
 *
 *   hostile-epochs            lists the kinds
 *   hostile-epochs FOLDER KIND MIB
 *
 * The session has MIB MiB in its files at most, less where that suffices, and a
 * block of its kind at least.  What a reader may do grows with the bytes, so
 * most are noise that allows for the rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxenoprof/libxenoprof.h"
#include "libxenoprof/session/epoch-tables.h"
#include "libxenoprof/session/session-attributes.h"
#include "libxenoprof/session/session-block.h"

#define BLOCKS_MOST 20000u
#define FILES_MOST  2000u
#define ROWS        COLUMN_ROWS_MAX
#define NOBODY      127u /* a table that no reader knows */
#define DEPTH       1000u
#define GAP         1000u /* blocks from one that says who ran to the next */

/* Texts, and what else all kinds have as number 1. */
enum { TEXT_UTC = 1, TEXT_NOW, TEXT_KIND, TEXT_NAME, TEXTS = TEXT_NAME };

struct epochs_maker {
    const char *folder;
    uint32_t file;     /* the next file's number */
    uint64_t sequence; /* the next block's number */
    uint64_t written, most, random, samples_before;
    int fd;
    struct part_writer tables, samples;
    struct part_shapes shapes;
    struct epoch_table table; /* whose rows are being made */
    struct epoch_rows rows;
    size_t count;
    struct buffer bytes; /* of texts */
    uint32_t sample_rows;
};

static void need(bool ok, const char *what)
{
    if ( ok )
        return;
    fprintf(stderr, "hostile-epochs: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t next_random(struct epochs_maker *maker)
{
    uint64_t mixed = maker->random += 0x9e3779b97f4a7c15ull;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    return mixed ^ mixed >> 31;
}

static void put_bytes(struct epochs_maker *maker, const void *bytes,
                      size_t size)
{
    need(write(maker->fd, bytes, size) == (ssize_t)size, "cannot write");
    maker->written += size;
}

static void begin_rows(struct epochs_maker *maker, uint32_t number)
{
    need(epoch_table_find(number, &maker->table), "no such table");
    maker->rows.count = maker->count = 0;
    maker->bytes.used = 0;
}

static uint64_t *add_row(struct epochs_maker *maker)
{
    uint64_t *row = epoch_rows_add(&maker->rows, &maker->table);

    need(row, "no memory");
    maker->count++;
    return row;
}

static void end_rows(struct epochs_maker *maker, struct part_writer *into,
                     uint64_t first)
{
    need(part_put(into, &maker->table, maker->rows.items, maker->count, first,
                  &maker->bytes),
         "no memory");
    if ( into == &maker->samples )
        maker->sample_rows = (uint32_t)maker->count;
}

static void add_text(struct epochs_maker *maker, const char *text, size_t size)
{
    add_row(maker)[EPOCH_TEXT_LENGTH] = size;
    need(buffer_append(&maker->bytes, text, size), "no memory");
}

/* Writes the block in the making; it stays, to be written again. */
static void write_block(struct epochs_maker *maker, uint32_t flags)
{
    struct epoch_block_header header = {
        .flags = flags,
        .sequence = maker->sequence++,
        .samples = maker->sample_rows,
        .first = 1,
        .last = 1000000000,
        .before = maker->samples_before,
    };

    epoch_block_seal(&header, &maker->tables.part, &maker->samples.part);
    put_bytes(maker, &header, sizeof(header));
    put_bytes(maker, maker->tables.part.bytes, maker->tables.part.used);
    put_bytes(maker, maker->samples.part.bytes, maker->samples.part.used);
    maker->samples_before += maker->sample_rows;
}

static void begin_block(struct epochs_maker *maker)
{
    maker->tables.part.used = maker->samples.part.used = 0;
    maker->sample_rows = 0;
}

static void put_texts(struct epochs_maker *maker)
{
    static const char *const texts[] = {
        SESSION_ATTRIBUTE_UTC, "1700000000000000000", "passive", "name"};

    begin_rows(maker, EPOCH_TEXT);
    for ( size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++ )
        add_text(maker, texts[i], strlen(texts[i]));
    end_rows(maker, &maker->tables, 1);
}

static void put_one(struct epochs_maker *maker, uint32_t table,
                    unsigned int slot, uint64_t value)
{
    begin_rows(maker, table);
    add_row(maker)[slot] = value;
    end_rows(maker, &maker->tables, 1);
}

/* A file, and what every session needs to be shown at all. */
static void begin_file(struct epochs_maker *maker)
{
    struct session_file_header header;
    char path[4096];

    if ( maker->fd >= 0 )
        close(maker->fd);
    snprintf(path, sizeof(path), "%s/DATA.%04u", maker->folder, maker->file);
    maker->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    need(maker->fd >= 0, path);
    file_header_init(&header, maker->file++, 7);
    put_bytes(maker, &header, sizeof(header));
    begin_block(maker);
    put_texts(maker);
    begin_rows(maker, EPOCH_NOTE);
    add_row(maker)[EPOCH_NOTE_KEY] = TEXT_UTC;
    maker->rows.items[EPOCH_NOTE_VALUE] = TEXT_NOW;
    end_rows(maker, &maker->tables, 0);
    put_one(maker, EPOCH_DOMAIN, EPOCH_DOMAIN_KIND, TEXT_KIND);
    put_one(maker, EPOCH_VCPU, EPOCH_VCPU_DOMAIN, 1);
    put_one(maker, EPOCH_SPACE, EPOCH_SPACE_DOMAIN, 1);
    put_one(maker, EPOCH_PLACE, EPOCH_PLACE_SPACE, 1);
    put_one(maker, EPOCH_NODE, EPOCH_NODE_PLACE, 1);
    begin_rows(maker, EPOCH_SHAPE);
    add_row(maker)[EPOCH_SHAPE_HAS] = SHAPE_HAS_XEN;
    maker->rows.items[EPOCH_SHAPE_WEIGHT] = 1;
    maker->rows.items[EPOCH_SHAPE_PERIOD] = 1000000;
    end_rows(maker, &maker->tables, 1);
}

static uint64_t *add_sample(struct epochs_maker *maker, uint64_t node)
{
    uint64_t *row = add_row(maker);

    row[EPOCH_SAMPLE_SHAPE] = row[EPOCH_SAMPLE_VCPU] = 1;
    row[EPOCH_SAMPLE_TIME] = 1;
    row[EPOCH_SAMPLE_XEN] = node;
    return row;
}

/* The file's first block, with a sample of each node that it knows. */
static void begin_session(struct epochs_maker *maker)
{
    begin_file(maker);
    begin_rows(maker, EPOCH_SAMPLE);
    add_sample(maker, 1);
    end_rows(maker, &maker->samples, 0);
    write_block(maker, EPOCH_BLOCK_ABSOLUTE);
    begin_block(maker);
}

/* All but a 32nd of the session: a table that no reader looks at. */
static void put_noise(struct epochs_maker *maker)
{
    const uint64_t end = maker->most / 32 * 31;
    struct buffer *part = &maker->tables.part;

    while ( maker->written < end )
    {
        uint64_t left = end - maker->written;
        uint32_t size = left < EPOCH_PART_MAX ? (uint32_t)left : EPOCH_PART_MAX;

        size -= size < 64 ? 0 : 64;
        begin_block(maker);
        need(buffer_reserve(part, size + 64), "no memory");
        part->bytes[0] = NOBODY;
        memcpy(part->bytes + 1, &size, sizeof(size));
        part->used = 1 + sizeof(size);
        for ( uint32_t i = 0; i < size; i++ )
            part->bytes[part->used++] = (uint8_t)next_random(maker);
        write_block(maker, 0);
    }
    begin_block(maker);
}

static bool session_is_full(const struct epochs_maker *maker)
{
    return maker->written >= maker->most || maker->file >= FILES_MOST;
}

static void repeat_block(struct epochs_maker *maker)
{
    uint64_t last = maker->sequence + BLOCKS_MOST;

    do
        write_block(maker, 0);
    while ( !session_is_full(maker) && maker->sequence < last );
}

/* The part of tables becomes as many copies of itself as it may have. */
static void repeat_tables(struct epochs_maker *maker)
{
    struct buffer *part = &maker->tables.part;
    size_t once = part->used;

    need(buffer_reserve(part, EPOCH_PART_MAX), "no memory");
    while ( part->used + once <= EPOCH_PART_MAX )
        need(buffer_append(part, part->bytes, once), "no memory");
}

static void make_alike(struct epochs_maker *maker)
{
    put_noise(maker);
    begin_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        add_sample(maker, 1);
    end_rows(maker, &maker->samples, 0);
    repeat_block(maker);
}

/* Any cell after any other, so that each is far from the one before. */
static void make_cells(struct epochs_maker *maker)
{
    begin_rows(maker, EPOCH_VCPU);
    for ( size_t i = 0; i < 2048; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_VCPU_DOMAIN] = 1;
        row[EPOCH_VCPU_NUMBER] = i;
    }
    end_rows(maker, &maker->tables, 2);
    begin_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_sample(maker, 1), random = next_random(maker);

        row[EPOCH_SAMPLE_VCPU] = 2 + random % 2048;
        row[EPOCH_SAMPLE_PCPU] = random >> 11 & 1023;
    }
    end_rows(maker, &maker->samples, 0);
    write_block(maker, 0);
    maker->tables.part.used = 0;
    repeat_block(maker);
}

/* As cells, in time too: 16 seconds each. */
static void make_moments(struct epochs_maker *maker)
{
    begin_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_sample(maker, 1);

        row[EPOCH_SAMPLE_PCPU] = next_random(maker) & 1023;
        row[EPOCH_SAMPLE_TIME] = next_random(maker) >> 30;
    }
    end_rows(maker, &maker->samples, 0);
    repeat_block(maker);
}

/* Chains, each as deep as can be, and a sample of each: the way to its root is
 * long again and again. */
static void put_combs(struct epochs_maker *maker, uint64_t first)
{
    begin_rows(maker, EPOCH_NODE);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_NODE_PARENT] = i % DEPTH ? first + i - 1 : 0;
        row[EPOCH_NODE_PLACE] = 1;
    }
    end_rows(maker, &maker->tables, first);
    begin_rows(maker, EPOCH_SAMPLE);
    for ( uint64_t i = DEPTH; i < ROWS; i += DEPTH )
        add_sample(maker, first + i - 1);
    end_rows(maker, &maker->samples, 0);
}

static void make_combs(struct epochs_maker *maker)
{
    put_noise(maker);
    do
    {
        begin_session(maker);
        for ( uint64_t i = 0; i < EPOCH_NODES_MAX / ROWS - 1; i++ )
        {
            begin_block(maker);
            put_combs(maker, 2 + i * ROWS);
            write_block(maker, 0);
        }
    } while ( !session_is_full(maker) );
}

/* Leaves on a deep chain, each with a sample: each stack is as long. */
static void make_deep(struct epochs_maker *maker)
{
    put_noise(maker);
    begin_rows(maker, EPOCH_NODE);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_NODE_PARENT] = i < DEPTH ? 1 + i : 1 + DEPTH;
        row[EPOCH_NODE_PLACE] = 1;
    }
    end_rows(maker, &maker->tables, 2);
    begin_rows(maker, EPOCH_SAMPLE);
    for ( uint64_t i = 0; i < ROWS; i++ )
        add_sample(maker, 2 + i);
    end_rows(maker, &maker->samples, 0);
    write_block(maker, 0);
    maker->tables.part.used = 0;
    repeat_block(maker);
}

/* A table of the most rows in few bytes. */
static void put_rows(struct epochs_maker *maker, uint32_t number)
{
    begin_rows(maker, number);
    for ( size_t i = 0; i < ROWS; i++ )
        add_row(maker)[0] = 1;
    end_rows(maker, &maker->tables, 1);
}

static void make_rows(struct epochs_maker *maker)
{
    put_noise(maker);
    put_rows(maker, EPOCH_VCPU);
    repeat_tables(maker);
    repeat_block(maker);
}

static void make_accounts(struct epochs_maker *maker)
{
    put_noise(maker);
    put_rows(maker, EPOCH_RING);
    put_rows(maker, EPOCH_ACCOUNT);
    repeat_tables(maker);
    repeat_block(maker);
}

static void make_idle(struct epochs_maker *maker)
{
    put_noise(maker);
    begin_rows(maker, EPOCH_IDLE);
    for ( size_t i = 0; i < ROWS; i++ )
        add_row(maker)[EPOCH_IDLE_PCPU] = i;
    end_rows(maker, &maker->tables, 0);
    repeat_block(maker);
}

/* A domain changes its name without end. */
static void make_notes(struct epochs_maker *maker)
{
    put_noise(maker);
    begin_rows(maker, EPOCH_NOTE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_NOTE_DOMAIN] = 1;
        row[EPOCH_NOTE_KEY] = 1 + i % TEXTS;
    }
    end_rows(maker, &maker->tables, 0);
    repeat_block(maker);
}

/* A place changes its name without end. */
static void make_named(struct epochs_maker *maker)
{
    put_noise(maker);
    begin_rows(maker, EPOCH_SYMBOL);
    for ( size_t i = 0; i < 2; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_SYMBOL_IMAGE] = TEXT_KIND;
        row[EPOCH_SYMBOL_NAME] = TEXT_KIND + i;
    }
    end_rows(maker, &maker->tables, 1);
    begin_rows(maker, EPOCH_NAMED);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_NAMED_PLACE] = 1;
        row[EPOCH_NAMED_SYMBOL] = 1 + i % 2;
    }
    end_rows(maker, &maker->tables, 0);
    write_block(maker, 0);
    /* Symbols are defined once. */
    begin_block(maker);
    end_rows(maker, &maker->tables, 0);
    repeat_block(maker);
}

/* A text of 8 MiB that is one letter. */
static void make_texts(struct epochs_maker *maker)
{
    char *text = malloc(COLUMN_BYTES_MAX);

    need(text, "no memory");
    memset(text, 'a', COLUMN_BYTES_MAX);
    put_noise(maker);
    do
    {
        begin_session(maker);
        begin_rows(maker, EPOCH_TEXT);
        add_text(maker, text, COLUMN_BYTES_MAX);
        end_rows(maker, &maker->tables, TEXTS + 1);
        write_block(maker, 0);
    } while ( !session_is_full(maker) );
    free(text);
}

/* Places, each with a long name of its own. */
static void make_strings(struct epochs_maker *maker)
{
    char text[4096];

    memset(text, 'a', sizeof(text));
    begin_rows(maker, EPOCH_TEXT);
    for ( size_t i = 0; i < 2000; i++ )
    {
        memcpy(text + sizeof(text) - sizeof(i), &i, sizeof(i));
        add_text(maker, text, sizeof(text));
    }
    end_rows(maker, &maker->tables, TEXTS + 1);
    begin_rows(maker, EPOCH_SYMBOL);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_SYMBOL_IMAGE] = TEXTS + 1 + i % 1999;
        row[EPOCH_SYMBOL_NAME] = TEXTS + 1 + i % 2000;
    }
    end_rows(maker, &maker->tables, 1);
    begin_rows(maker, EPOCH_PLACE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = add_row(maker);

        row[EPOCH_PLACE_SPACE] = 1;
        row[EPOCH_PLACE_HAS] = PLACE_HAS_OFFSET;
        row[EPOCH_PLACE_SYMBOL] = row[EPOCH_PLACE_OFFSET] = 1 + i;
    }
    end_rows(maker, &maker->tables, 2);
    begin_rows(maker, EPOCH_NODE);
    for ( size_t i = 0; i < ROWS; i++ )
        add_row(maker)[EPOCH_NODE_PLACE] = 1 + i;
    end_rows(maker, &maker->tables, 2);
    begin_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        add_sample(maker, 2 + i);
    end_rows(maker, &maker->samples, 0);
    write_block(maker, 0);
    maker->tables.part.used = 0;
    repeat_block(maker);
}

/* Each small file has a last node, and so unknown ones before it. */
static void make_numbers(struct epochs_maker *maker)
{
    do
    {
        begin_session(maker);
        begin_rows(maker, EPOCH_NODE);
        add_row(maker)[EPOCH_NODE_PLACE] = 1;
        end_rows(maker, &maker->tables, EPOCH_NODES_MAX);
        begin_rows(maker, EPOCH_SAMPLE);
        add_sample(maker, EPOCH_NODES_MAX);
        end_rows(maker, &maker->samples, 0);
        write_block(maker, 0);
    } while ( !session_is_full(maker) );
}

/* Each block is behind one that was lost, and who ran is said much later. */
static void make_gaps(struct epochs_maker *maker)
{
    begin_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < 16; i++ )
        add_sample(maker, 1);
    end_rows(maker, &maker->samples, 0);
    for ( unsigned int i = 1; !session_is_full(maker) && i < 100 * BLOCKS_MOST;
          i++ )
    {
        maker->sequence++;
        write_block(maker, i % GAP ? 0 : EPOCH_BLOCK_ABSOLUTE);
    }
}

static const struct kind {
    const char *name;
    void (*make)(struct epochs_maker *maker);
} kinds[] = {
    {"accounts", make_accounts}, {"alike", make_alike},
    {"cells", make_cells},       {"combs", make_combs},
    {"deep", make_deep},         {"gaps", make_gaps},
    {"idle", make_idle},         {"moments", make_moments},
    {"named", make_named},       {"notes", make_notes},
    {"numbers", make_numbers},   {"rows", make_rows},
    {"strings", make_strings},   {"texts", make_texts},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void make(struct epochs_maker *maker, const struct kind *kind)
{
    need(!mkdir(maker->folder, 0700), maker->folder);
    need(column_packer_init(&maker->tables.columns) &&
             column_packer_init(&maker->samples.columns) &&
             vector_reserve(&maker->shapes, 1),
         "no memory");
    maker->shapes.items[maker->shapes.count++] = SHAPE_HAS_XEN;
    maker->tables.shapes = maker->samples.shapes = &maker->shapes;
    begin_session(maker);
    kind->make(maker);
    need(!close(maker->fd), "cannot write");
    part_writer_free(&maker->tables);
    part_writer_free(&maker->samples);
    vector_free(&maker->shapes);
    vector_free(&maker->rows);
    buffer_free(&maker->bytes);
}

int main(int argc, char **argv)
{
    struct epochs_maker maker = {.fd = -1};

    for ( size_t i = 0; i < KINDS; i++ )
    {
        if ( argc < 4 )
            puts(kinds[i].name);
        else if ( !strcmp(argv[2], kinds[i].name) )
        {
            maker.folder = argv[1];
            maker.most = strtoull(argv[3], NULL, 10) << 20;
            make(&maker, &kinds[i]);
            return 0;
        }
    }
    return argc >= 4;
}
