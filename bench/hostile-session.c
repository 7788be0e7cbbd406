/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes sessions that xenoprofd never writes: few bytes that are much work for
 * who reads them.
 *
 *   hostile-session            lists the kinds
 *   hostile-session FOLDER KIND MIB
 *
 * The session has MIB MiB in its files at most, less where that suffices, and a
 * block of its kind at least.  What a reader may do grows with the bytes, so
 * most are noise that allows for the rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile-blocks.h"
#include "libxenoprof/session/epoch-read.h"
#include "libxenoprof/session/session-block.h"

#define COLUMNS_AGAIN 1000u
#define DEPTH         1000u
#define GAP           1000u /* blocks from one that says who ran to the next */
#define GAPS_MOST     2000000u
#define VCPUS         2048u
#define SHAPES        4000u
#define SHAPES_AGAIN  250u
#define MSR_READ      31u /* VMX's number of that exit */

static void make_alike(struct epochs_maker *maker)
{
    epochs_noise(maker);
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_sample(maker, 1);
    epochs_end_rows(maker, &maker->samples, 0);
    epochs_repeat_block(maker);
}

/* Numbers from 2 on are vCPUs of one domain. */
static void put_vcpus(struct epochs_maker *maker, size_t count)
{
    epochs_rows(maker, EPOCH_VCPU);
    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_VCPU_DOMAIN] = 1;
        row[EPOCH_VCPU_NUMBER] = i;
    }
    epochs_end_rows(maker, &maker->tables, 2);
}

/* Any cell after any other, so that each is far from the one before. */
static void make_cells(struct epochs_maker *maker)
{
    put_vcpus(maker, VCPUS);
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_sample(maker, 1),
                 random = hostile_random(&maker->files);

        row[EPOCH_SAMPLE_VCPU] = 2 + random % VCPUS;
        row[EPOCH_SAMPLE_PCPU] = random >> 11 & 1023;
    }
    epochs_end_rows(maker, &maker->samples, 0);
    epochs_write_block(maker, 0);
    maker->tables.part.used = 0;
    epochs_repeat_block(maker);
}

/* As cells, in time too: 16 seconds each. */
static void make_moments(struct epochs_maker *maker)
{
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_sample(maker, 1);

        row[EPOCH_SAMPLE_PCPU] = hostile_random(&maker->files) & 1023;
        row[EPOCH_SAMPLE_TIME] = hostile_random(&maker->files) >> 30;
    }
    epochs_end_rows(maker, &maker->samples, 0);
    epochs_repeat_block(maker);
}

/* Why a guest entered Xen is another each time, and so is the shape. */
static void put_entries(struct epochs_maker *maker)
{
    epochs_rows(maker, EPOCH_ENTRY);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_ENTRY_KIND] = XENOPROF_ENTRY_VMX;
        row[EPOCH_ENTRY_CODE] = MSR_READ;
        row[EPOCH_ENTRY_DETAIL] = i;
    }
    epochs_end_rows(maker, &maker->tables, 1);
    epochs_rows(maker, EPOCH_SHAPE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_SHAPE_HAS] = SHAPE_HAS_XEN;
        row[EPOCH_SHAPE_WEIGHT] = row[EPOCH_SHAPE_PERIOD] = 1;
        row[EPOCH_SHAPE_ENTRY] = 1 + i;
    }
    epochs_end_rows(maker, &maker->tables, 2);
}

static void make_entries(struct epochs_maker *maker)
{
    hostile_need(vector_reserve(&maker->shapes, ROWS), "no memory");
    for ( size_t i = 0; i < ROWS; i++ )
        maker->shapes.items[maker->shapes.count++] = SHAPE_HAS_XEN;
    put_entries(maker);
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_sample(maker, 1)[EPOCH_SAMPLE_SHAPE] = 2 + hostile_random(
                                                              &maker->files) %
                                                              ROWS;
    epochs_end_rows(maker, &maker->samples, 0);
    epochs_write_block(maker, 0);
    maker->tables.part.used = 0;
    epochs_repeat_block(maker);
}

/* Types lie about what they are, and each sample is of another shape. */
static void put_types(struct epochs_maker *maker)
{
    epochs_rows(maker, EPOCH_TYPE);
    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_TYPE_NUMBER] = i % 3 ? XENOPROF_TYPES_MAX - i : ~0ull;
        row[EPOCH_TYPE_NAME] = row[EPOCH_TYPE_UNIT] = ROWS + i;
    }
    epochs_end_rows(maker, &maker->tables, 1);
    epochs_rows(maker, EPOCH_SHAPE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_SHAPE_HAS] = SHAPE_HAS_XEN;
        row[EPOCH_SHAPE_WEIGHT] = 1;
        row[EPOCH_SHAPE_PERIOD] = ~0ull - i;
        row[EPOCH_SHAPE_TYPE] = i % (XENOPROF_TYPES_MAX + 2);
    }
    epochs_end_rows(maker, &maker->tables, 2);
    epochs_rows(maker, EPOCH_MEASURED);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_MEASURED_TYPE] = i % (XENOPROF_TYPES_MAX + 2);
        row[EPOCH_MEASURED_PCPU] = i;
        row[EPOCH_MEASURED_ENABLED] = ~0ull;
        row[EPOCH_MEASURED_RUNNING] = i % 2;
    }
    epochs_end_rows(maker, &maker->tables, 0);
}

static void make_types(struct epochs_maker *maker)
{
    hostile_need(vector_reserve(&maker->shapes, ROWS), "no memory");
    for ( size_t i = 0; i < ROWS; i++ )
        maker->shapes.items[maker->shapes.count++] = SHAPE_HAS_XEN;
    put_types(maker);
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_sample(maker, 1)[EPOCH_SAMPLE_SHAPE] = 2 + hostile_random(
                                                              &maker->files) %
                                                              ROWS;
    epochs_end_rows(maker, &maker->samples, 0);
    epochs_write_block(maker, 0);
    maker->tables.part.used = 0;
    epochs_repeat_block(maker);
}

/* Any thread on any vCPU, so that nearly each sample is of somebody new. */
static void make_threads(struct epochs_maker *maker)
{
    put_vcpus(maker, VCPUS);
    epochs_rows(maker, EPOCH_THREAD);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_THREAD_TID] = i;
        row[EPOCH_THREAD_COMM] = 'a';
    }
    epochs_end_rows(maker, &maker->tables, 1);
    do
    {
        epochs_rows(maker, EPOCH_SAMPLE);
        for ( size_t i = 0; i < ROWS; i++ )
        {
            uint64_t *row = epochs_sample(maker, 1);
            uint64_t random = hostile_random(&maker->files);

            row[EPOCH_SAMPLE_VCPU] = 2 + random % VCPUS;
            row[EPOCH_SAMPLE_THREAD] = 1 + (random >> 11) % ROWS;
        }
        epochs_end_rows(maker, &maker->samples, 0);
        epochs_write_block(maker, 0);
        epochs_begin_block(maker);
    } while ( !epochs_full(maker) );
}

/* Chains, each as deep as can be, and a sample of each: the way to its root is
 * long again and again. */
static void put_combs(struct epochs_maker *maker, uint64_t first)
{
    epochs_rows(maker, EPOCH_NODE);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_NODE_PARENT] = i % DEPTH ? first + i - 1 : 0;
        row[EPOCH_NODE_PLACE] = 1;
    }
    epochs_end_rows(maker, &maker->tables, first);
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( uint64_t i = DEPTH; i < ROWS; i += DEPTH )
        epochs_sample(maker, first + i - 1);
    epochs_end_rows(maker, &maker->samples, 0);
}

static void make_combs(struct epochs_maker *maker)
{
    epochs_noise(maker);
    do
    {
        epochs_begin_file(maker);
        for ( uint64_t i = 0; i < EPOCH_NODES_MAX / ROWS - 1; i++ )
        {
            epochs_begin_block(maker);
            put_combs(maker, 2 + i * ROWS);
            epochs_write_block(maker, 0);
        }
    } while ( !epochs_full(maker) );
}

/* Leaves on a deep chain, each with a sample: each stack is as long. */
static void make_deep(struct epochs_maker *maker)
{
    epochs_noise(maker);
    epochs_rows(maker, EPOCH_NODE);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_NODE_PARENT] = i < DEPTH ? 1 + i : 1 + DEPTH;
        row[EPOCH_NODE_PLACE] = 1;
    }
    epochs_end_rows(maker, &maker->tables, 2);
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( uint64_t i = 0; i < ROWS; i++ )
        epochs_sample(maker, 2 + i);
    epochs_end_rows(maker, &maker->samples, 0);
    epochs_write_block(maker, 0);
    maker->tables.part.used = 0;
    epochs_repeat_block(maker);
}

/* A table of the most rows in few bytes. */
static void put_rows(struct epochs_maker *maker, uint32_t number)
{
    epochs_rows(maker, number);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_row(maker)[0] = 1;
    epochs_end_rows(maker, &maker->tables, 1);
}

static void make_rows(struct epochs_maker *maker)
{
    epochs_noise(maker);
    put_rows(maker, EPOCH_VCPU);
    epochs_repeat_tables(maker);
    epochs_repeat_block(maker);
}

/* Shapes said again and again in small blocks, for which nothing else allows:
 * who reads ahead looks at shapes as well. */
static void make_shapes(struct epochs_maker *maker)
{
    epochs_rows(maker, EPOCH_SHAPE);
    for ( size_t i = 0; i < SHAPES; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_SHAPE_HAS] = SHAPE_HAS_XEN;
        row[EPOCH_SHAPE_WEIGHT] = row[EPOCH_SHAPE_PERIOD] = 1;
    }
    for ( unsigned int i = 0; i < SHAPES_AGAIN; i++ )
        epochs_end_rows(maker, &maker->tables, 1);
    epochs_repeat_block(maker);
}

/* The rows as often as a reader keeps them of one block. */
static void put_kept(struct epochs_maker *maker)
{
    for ( size_t kept = 0; kept + maker->rows.count <= READ_KEPT_MAX;
          kept += maker->rows.count )
        epochs_end_rows(maker, &maker->tables, 0);
}

/* 65,536 letters, which a frame of zstd makes of matches of three. */
static const uint8_t letters[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x00, 0xff, 0x05, 0x01, 0x00, 0x08,
    0x61, 0xd5, 0x55, 0xa4, 0xe4, 0x3f, 0xe3, 0x3f, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x80, 0x53, 0xf6, 0x05, 0xf8, 0x1f};

/* Columns that take zstd as long as can be, over and over in one table. */
static void make_matches(struct epochs_maker *maker)
{
    const uint8_t form = COLUMN_PLANES_MAX, stream = sizeof(letters) << 2 | 2;
    struct buffer *part = &maker->tables.part;
    uint8_t column[COLUMN_PLANES_MAX * (sizeof(letters) + 2) + 2], *to = column;

    *to++ = (EPOCH_VCPU_NUMBER + 1) << 1;
    *to++ = form;
    for ( unsigned int i = 0; i < COLUMN_PLANES_MAX; i++ )
    {
        to = put_number(to, stream);
        memcpy(to, letters, sizeof(letters));
        to += sizeof(letters);
    }
    epochs_noise(maker);
    put_rows(maker, EPOCH_VCPU);
    for ( unsigned int i = 0; i < COLUMNS_AGAIN; i++ )
        hostile_need(buffer_append(part, column, (size_t)(to - column)),
                     "no memory");
    epochs_resize_table(maker);
    epochs_repeat_block(maker);
}

static void make_accounts(struct epochs_maker *maker)
{
    epochs_noise(maker);
    put_rows(maker, EPOCH_RING);
    epochs_rows(maker, EPOCH_ACCOUNT);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_row(maker)[EPOCH_ACCOUNT_RING] = 1 + i;
    put_kept(maker);
    epochs_repeat_block(maker);
}

static void make_idle(struct epochs_maker *maker)
{
    epochs_noise(maker);
    epochs_rows(maker, EPOCH_IDLE);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_row(maker)[EPOCH_IDLE_PCPU] = i;
    epochs_end_rows(maker, &maker->tables, 0);
    epochs_repeat_block(maker);
}

/* Each vCPU after any other waits without end. */
static void make_waits(struct epochs_maker *maker)
{
    epochs_noise(maker);
    put_vcpus(maker, ROWS);
    epochs_write_block(maker, 0);
    epochs_begin_block(maker);
    epochs_rows(maker, EPOCH_WAIT);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_WAIT_VCPU] = 2 + i;
        row[EPOCH_WAIT_TIME] = 1000;
        row[EPOCH_WAIT_SPAN] = 100;
        row[EPOCH_WAIT_RUNNING] = row[EPOCH_WAIT_RUNNABLE] = 10;
        row[EPOCH_WAIT_DEVICE] = row[EPOCH_WAIT_CAPPED] = 10;
    }
    put_kept(maker);
    epochs_repeat_block(maker);
}

/* It is said for how much time samples stand, of any vCPU and second. */
static void make_ticks(struct epochs_maker *maker)
{
    put_vcpus(maker, VCPUS);
    epochs_rows(maker, EPOCH_TICKS);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_TICKS_VCPU] = 2 + i % VCPUS;
        row[EPOCH_TICKS_SECOND] = i * i;
        row[EPOCH_TICKS_TIME] = row[EPOCH_TICKS_SCALE] = ~i;
    }
    put_kept(maker);
    epochs_rows(maker, EPOCH_SAMPLE);
    epochs_sample(maker, 1);
    epochs_end_rows(maker, &maker->samples, 0);
    do
        epochs_write_block(maker, EPOCH_BLOCK_TICKS);
    while ( !epochs_full(maker) );
}

/* Each vCPU after any other waits once, for some domain or other. */
static void make_latencies(struct epochs_maker *maker)
{
    epochs_noise(maker);
    put_vcpus(maker, ROWS);
    epochs_write_block(maker, 0);
    epochs_begin_block(maker);
    epochs_rows(maker, EPOCH_LATENCY);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_LATENCY_VCPU] = 2 + i;
        row[EPOCH_LATENCY_TIME] = 1000;
        row[EPOCH_LATENCY_BY] = 1;
        row[EPOCH_LATENCY_COUNT] = row[EPOCH_LATENCY_SUM] = 1;
    }
    put_kept(maker);
    epochs_repeat_block(maker);
}

/* Each vCPU leaves the processor for a reason that has a long name. */
static void make_exits(struct epochs_maker *maker)
{
    epochs_noise(maker);
    put_vcpus(maker, ROWS);
    epochs_rows(maker, EPOCH_ENTRY);
    epochs_row(maker)[EPOCH_ENTRY_KIND] = XENOPROF_ENTRY_VMX;
    epochs_row(maker)[EPOCH_ENTRY_KIND] = XENOPROF_ENTRY_SVM;
    epochs_end_rows(maker, &maker->tables, 1);
    epochs_write_block(maker, 0);
    epochs_begin_block(maker);
    epochs_rows(maker, EPOCH_EXIT);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_EXIT_VCPU] = 2 + i;
        row[EPOCH_EXIT_TIME] = 1000;
        row[EPOCH_EXIT_ENTRY] = 1 + i % 2;
        row[EPOCH_EXIT_COUNT] = 1;
    }
    put_kept(maker);
    epochs_repeat_block(maker);
}

/* A domain changes its name without end. */
static void make_notes(struct epochs_maker *maker)
{
    epochs_noise(maker);
    epochs_rows(maker, EPOCH_NOTE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_NOTE_DOMAIN] = 1;
        row[EPOCH_NOTE_KEY] = 1 + i % TEXTS;
    }
    epochs_end_rows(maker, &maker->tables, 0);
    epochs_repeat_block(maker);
}

/* A place changes its name without end. */
static void make_named(struct epochs_maker *maker)
{
    epochs_noise(maker);
    epochs_rows(maker, EPOCH_SYMBOL);
    for ( size_t i = 0; i < 2; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_SYMBOL_IMAGE] = TEXT_KIND;
        row[EPOCH_SYMBOL_NAME] = TEXT_KIND + i;
    }
    epochs_end_rows(maker, &maker->tables, 1);
    epochs_rows(maker, EPOCH_NAMED);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_NAMED_PLACE] = 1;
        row[EPOCH_NAMED_SYMBOL] = 1 + i % 2;
    }
    epochs_end_rows(maker, &maker->tables, 0);
    epochs_write_block(maker, 0);
    /* Symbols are defined once. */
    epochs_begin_block(maker);
    epochs_end_rows(maker, &maker->tables, 0);
    epochs_repeat_block(maker);
}

/* A text of 8 MiB that is one letter. */
static void make_texts(struct epochs_maker *maker)
{
    char *text = malloc(COLUMN_BYTES_MAX);

    hostile_need(text, "no memory");
    memset(text, 'a', COLUMN_BYTES_MAX);
    epochs_noise(maker);
    do
    {
        epochs_begin_file(maker);
        epochs_rows(maker, EPOCH_TEXT);
        epochs_text(maker, text, COLUMN_BYTES_MAX);
        epochs_end_rows(maker, &maker->tables, TEXTS + 1);
        epochs_write_block(maker, 0);
    } while ( !epochs_full(maker) );
    free(text);
}

/* Places, each with a long name of its own. */
static void make_strings(struct epochs_maker *maker)
{
    char text[4096];

    memset(text, 'a', sizeof(text));
    epochs_rows(maker, EPOCH_TEXT);
    for ( size_t i = 0; i < 2000; i++ )
    {
        memcpy(text + sizeof(text) - sizeof(i), &i, sizeof(i));
        epochs_text(maker, text, sizeof(text));
    }
    epochs_end_rows(maker, &maker->tables, TEXTS + 1);
    epochs_rows(maker, EPOCH_SYMBOL);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_SYMBOL_IMAGE] = TEXTS + 1 + i % 1999;
        row[EPOCH_SYMBOL_NAME] = TEXTS + 1 + i % 2000;
    }
    epochs_end_rows(maker, &maker->tables, 1);
    epochs_rows(maker, EPOCH_PLACE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        row[EPOCH_PLACE_SPACE] = 1;
        row[EPOCH_PLACE_HAS] = PLACE_HAS_OFFSET;
        row[EPOCH_PLACE_SYMBOL] = row[EPOCH_PLACE_OFFSET] = 1 + i;
    }
    epochs_end_rows(maker, &maker->tables, 2);
    epochs_rows(maker, EPOCH_NODE);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_row(maker)[EPOCH_NODE_PLACE] = 1 + i;
    epochs_end_rows(maker, &maker->tables, 2);
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        epochs_sample(maker, 2 + i);
    epochs_end_rows(maker, &maker->samples, 0);
    epochs_write_block(maker, 0);
    maker->tables.part.used = 0;
    epochs_repeat_block(maker);
}

/* Each small file has a last node, and so unknown ones before it. */
static void make_numbers(struct epochs_maker *maker)
{
    do
    {
        epochs_begin_file(maker);
        epochs_rows(maker, EPOCH_NODE);
        epochs_row(maker)[EPOCH_NODE_PLACE] = 1;
        epochs_end_rows(maker, &maker->tables, EPOCH_NODES_MAX);
        epochs_rows(maker, EPOCH_SAMPLE);
        epochs_sample(maker, EPOCH_NODES_MAX);
        epochs_end_rows(maker, &maker->samples, 0);
        epochs_write_block(maker, 0);
    } while ( !epochs_full(maker) );
}

/* Each block is behind one that was lost, and who ran is said much later. */
static void make_gaps(struct epochs_maker *maker)
{
    epochs_rows(maker, EPOCH_SAMPLE);
    for ( size_t i = 0; i < 16; i++ )
        epochs_sample(maker, 1);
    epochs_end_rows(maker, &maker->samples, 0);
    for ( unsigned int i = 1; !epochs_full(maker) && i < GAPS_MOST; i++ )
    {
        maker->files.sequence++;
        epochs_write_block(maker, i % GAP ? 0 : EPOCH_BLOCK_ABSOLUTE);
    }
}

/* Rows that are all different, said again in each block. */
static void repeat_rows(struct epochs_maker *maker, uint32_t number)
{
    epochs_noise(maker);
    epochs_rows(maker, number);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = epochs_row(maker);

        for ( unsigned int j = 0; j < maker->table.count; j++ )
            row[j] = 1 + i % 65535;
    }
    epochs_end_rows(maker, &maker->tables, 1);
    epochs_repeat_block(maker);
}

static void make_domains(struct epochs_maker *maker)
{
    repeat_rows(maker, EPOCH_DOMAIN);
}

static void make_places(struct epochs_maker *maker)
{
    repeat_rows(maker, EPOCH_PLACE);
}

static void make_rings(struct epochs_maker *maker)
{
    repeat_rows(maker, EPOCH_RING);
}

/* Sound headers, and no payload that belongs to them. */
static void make_damage(struct epochs_maker *maker)
{
    struct epoch_block_header header = {.samples = 1000};

    put_rows(maker, EPOCH_VCPU);
    epoch_block_seal(&header, &maker->tables.part, &maker->samples.part);
    while ( !epochs_full(maker) )
        hostile_put(&maker->files, &header, sizeof(header));
}

/* Nothing but the beginnings of headers. */
static void make_magics(struct epochs_maker *maker)
{
    uint32_t magics[65536];

    for ( size_t i = 0; i < 65536; i++ )
        magics[i] = EPOCH_BLOCK_MAGIC;
    do
        hostile_put(&maker->files, magics, sizeof(magics));
    while ( !epochs_full(maker) );
}

static const struct kind {
    const char *name;
    void (*make)(struct epochs_maker *maker);
} kinds[] = {
    {"accounts", make_accounts}, {"alike", make_alike},
    {"cells", make_cells},       {"combs", make_combs},
    {"damage", make_damage},     {"deep", make_deep},
    {"domains", make_domains},   {"entries", make_entries},
    {"exits", make_exits},       {"gaps", make_gaps},
    {"idle", make_idle},         {"latencies", make_latencies},
    {"magics", make_magics},     {"matches", make_matches},
    {"moments", make_moments},   {"named", make_named},
    {"notes", make_notes},       {"numbers", make_numbers},
    {"places", make_places},     {"rings", make_rings},
    {"rows", make_rows},         {"shapes", make_shapes},
    {"strings", make_strings},   {"texts", make_texts},
    {"threads", make_threads},   {"ticks", make_ticks},
    {"types", make_types},       {"waits", make_waits},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

int main(int argc, char **argv)
{
    struct epochs_maker maker;

    for ( size_t i = 0; i < KINDS; i++ )
    {
        if ( argc < 4 )
            puts(kinds[i].name);
        else if ( !strcmp(argv[2], kinds[i].name) )
        {
            epochs_begin(&maker, argv[1], argv[3]);
            kinds[i].make(&maker);
            epochs_end(&maker);
            return 0;
        }
    }
    return argc >= 4;
}
