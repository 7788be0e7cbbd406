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
#include "libxenoprof/session/reader-tables.h"
#include "libxenoprof/session/session-block.h"

#define COLUMNS_AGAIN 1000u
#define DEPTH         1000u
#define GAP           1000u /* blocks from one that says who ran to the next */
#define GAPS_MOST     2000000u
#define VCPUS         2048u
#define SHAPES        4000u
#define SHAPES_AGAIN  250u
#define MSR_READ      31u /* VMX's number of that exit */

static void make_alike(struct blocks_maker *maker)
{
    blocks_noise(maker);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_sample(maker, 1);
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_repeat_block(maker);
}

/* Numbers from 2 on are vCPUs of one domain. */
static void put_vcpus(struct blocks_maker *maker, size_t count)
{
    blocks_rows(maker, SESSION_TABLE_VCPU);
    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_VCPU_DOMAIN] = 1;
        row[SESSION_VCPU_NUMBER] = i;
    }
    blocks_end_rows(maker, &maker->tables, 2);
}

/* Any cell after any other, so that each is far from the one before. */
static void make_cells(struct blocks_maker *maker)
{
    put_vcpus(maker, VCPUS);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_sample(maker, 1),
                 random = hostile_random(&maker->files);

        row[SESSION_SAMPLE_VCPU] = 2 + random % VCPUS;
        row[SESSION_SAMPLE_PCPU] = random >> 11 & 1023;
    }
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_write_block(maker, 0);
    maker->tables.section.used = 0;
    blocks_repeat_block(maker);
}

/* As cells, in time too: 16 seconds each. */
static void make_moments(struct blocks_maker *maker)
{
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_sample(maker, 1);

        row[SESSION_SAMPLE_PCPU] = hostile_random(&maker->files) & 1023;
        row[SESSION_SAMPLE_TIME] = hostile_random(&maker->files) >> 30;
    }
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_repeat_block(maker);
}

/* Why a guest entered Xen is another each time, and so is the shape. */
static void put_entries(struct blocks_maker *maker)
{
    blocks_rows(maker, SESSION_TABLE_ENTRY);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_ENTRY_KIND] = XENOPROF_ENTRY_VMX;
        row[SESSION_ENTRY_CODE] = MSR_READ;
        row[SESSION_ENTRY_DETAIL] = i;
    }
    blocks_end_rows(maker, &maker->tables, 1);
    blocks_rows(maker, SESSION_TABLE_SHAPE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_SHAPE_HAS] = SHAPE_HAS_XEN;
        row[SESSION_SHAPE_WEIGHT] = row[SESSION_SHAPE_PERIOD] = 1;
        row[SESSION_SHAPE_ENTRY] = 1 + i;
    }
    blocks_end_rows(maker, &maker->tables, 2);
}

static void make_entries(struct blocks_maker *maker)
{
    hostile_need(vector_reserve(&maker->shapes, ROWS), "no memory");
    for ( size_t i = 0; i < ROWS; i++ )
        maker->shapes.items[maker->shapes.count++] = SHAPE_HAS_XEN;
    put_entries(maker);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_sample(maker, 1)[SESSION_SAMPLE_SHAPE] = 2 + hostile_random(
                                                                &maker->files) %
                                                                ROWS;
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_write_block(maker, 0);
    maker->tables.section.used = 0;
    blocks_repeat_block(maker);
}

/* Types lie about what they are, and each sample is of another shape. */
static void put_types(struct blocks_maker *maker)
{
    blocks_rows(maker, SESSION_TABLE_TYPE);
    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_TYPE_NUMBER] = i % 3 ? XENOPROF_TYPES_MAX - i : ~0ull;
        row[SESSION_TYPE_NAME] = row[SESSION_TYPE_UNIT] = ROWS + i;
    }
    blocks_end_rows(maker, &maker->tables, 1);
    blocks_rows(maker, SESSION_TABLE_SHAPE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_SHAPE_HAS] = SHAPE_HAS_XEN;
        row[SESSION_SHAPE_WEIGHT] = 1;
        row[SESSION_SHAPE_PERIOD] = ~0ull - i;
        row[SESSION_SHAPE_TYPE] = i % (XENOPROF_TYPES_MAX + 2);
    }
    blocks_end_rows(maker, &maker->tables, 2);
    blocks_rows(maker, SESSION_TABLE_MEASURED);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_MEASURED_TYPE] = i % (XENOPROF_TYPES_MAX + 2);
        row[SESSION_MEASURED_PCPU] = i;
        row[SESSION_MEASURED_ENABLED] = ~0ull;
        row[SESSION_MEASURED_RUNNING] = i % 2;
    }
    blocks_end_rows(maker, &maker->tables, 0);
}

static void make_types(struct blocks_maker *maker)
{
    hostile_need(vector_reserve(&maker->shapes, ROWS), "no memory");
    for ( size_t i = 0; i < ROWS; i++ )
        maker->shapes.items[maker->shapes.count++] = SHAPE_HAS_XEN;
    put_types(maker);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_sample(maker, 1)[SESSION_SAMPLE_SHAPE] = 2 + hostile_random(
                                                                &maker->files) %
                                                                ROWS;
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_write_block(maker, 0);
    maker->tables.section.used = 0;
    blocks_repeat_block(maker);
}

/* Any thread on any vCPU, so that nearly each sample is of somebody new. */
static void make_threads(struct blocks_maker *maker)
{
    put_vcpus(maker, VCPUS);
    blocks_rows(maker, SESSION_TABLE_THREAD);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_THREAD_TID] = i;
        row[SESSION_THREAD_COMM] = 'a';
    }
    blocks_end_rows(maker, &maker->tables, 1);
    do
    {
        blocks_rows(maker, SESSION_TABLE_SAMPLE);
        for ( size_t i = 0; i < ROWS; i++ )
        {
            uint64_t *row = blocks_sample(maker, 1);
            uint64_t random = hostile_random(&maker->files);

            row[SESSION_SAMPLE_VCPU] = 2 + random % VCPUS;
            row[SESSION_SAMPLE_THREAD] = 1 + (random >> 11) % ROWS;
        }
        blocks_end_rows(maker, &maker->samples, 0);
        blocks_write_block(maker, 0);
        blocks_begin_block(maker);
    } while ( !blocks_full(maker) );
}

/* Chains, each as deep as can be, and a sample of each: the way to its root is
 * long again and again. */
static void put_combs(struct blocks_maker *maker, uint64_t first)
{
    blocks_rows(maker, SESSION_TABLE_NODE);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_NODE_PARENT] = i % DEPTH ? first + i - 1 : 0;
        row[SESSION_NODE_PLACE] = 1;
    }
    blocks_end_rows(maker, &maker->tables, first);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( uint64_t i = DEPTH; i < ROWS; i += DEPTH )
        blocks_sample(maker, first + i - 1);
    blocks_end_rows(maker, &maker->samples, 0);
}

static void make_combs(struct blocks_maker *maker)
{
    blocks_noise(maker);
    do
    {
        blocks_begin_file(maker);
        for ( uint64_t i = 0; i < FILE_NODES_MAX / ROWS - 1; i++ )
        {
            blocks_begin_block(maker);
            put_combs(maker, 2 + i * ROWS);
            blocks_write_block(maker, 0);
        }
    } while ( !blocks_full(maker) );
}

/* Leaves on a deep chain, each with a sample: each stack is as long. */
static void make_deep(struct blocks_maker *maker)
{
    blocks_noise(maker);
    blocks_rows(maker, SESSION_TABLE_NODE);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_NODE_PARENT] = i < DEPTH ? 1 + i : 1 + DEPTH;
        row[SESSION_NODE_PLACE] = 1;
    }
    blocks_end_rows(maker, &maker->tables, 2);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( uint64_t i = 0; i < ROWS; i++ )
        blocks_sample(maker, 2 + i);
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_write_block(maker, 0);
    maker->tables.section.used = 0;
    blocks_repeat_block(maker);
}

/* A table of the most rows in few bytes. */
static void put_rows(struct blocks_maker *maker, uint32_t number)
{
    blocks_rows(maker, number);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_row(maker)[0] = 1;
    blocks_end_rows(maker, &maker->tables, 1);
}

static void make_rows(struct blocks_maker *maker)
{
    blocks_noise(maker);
    put_rows(maker, SESSION_TABLE_VCPU);
    blocks_repeat_tables(maker);
    blocks_repeat_block(maker);
}

/* Shapes said again and again in small blocks, for which nothing else allows:
 * who reads ahead looks at shapes as well. */
static void make_shapes(struct blocks_maker *maker)
{
    blocks_rows(maker, SESSION_TABLE_SHAPE);
    for ( size_t i = 0; i < SHAPES; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_SHAPE_HAS] = SHAPE_HAS_XEN;
        row[SESSION_SHAPE_WEIGHT] = row[SESSION_SHAPE_PERIOD] = 1;
    }
    for ( unsigned int i = 0; i < SHAPES_AGAIN; i++ )
        blocks_end_rows(maker, &maker->tables, 1);
    blocks_repeat_block(maker);
}

/* The rows as often as a reader keeps them of one block. */
static void put_kept(struct blocks_maker *maker)
{
    for ( size_t kept = 0; kept + maker->rows.count <= READ_KEPT_MAX;
          kept += maker->rows.count )
        blocks_end_rows(maker, &maker->tables, 0);
}

/* 65,536 letters, which a frame of zstd makes of matches of three. */
static const uint8_t letters[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x00, 0xff, 0x05, 0x01, 0x00, 0x08,
    0x61, 0xd5, 0x55, 0xa4, 0xe4, 0x3f, 0xe3, 0x3f, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x80, 0x53, 0xf6, 0x05, 0xf8, 0x1f};

/* Columns that take zstd as long as can be, over and over in one table. */
static void make_matches(struct blocks_maker *maker)
{
    const uint8_t form = COLUMN_PLANES_MAX, stream = sizeof(letters) << 2 | 2;
    struct buffer *section = &maker->tables.section;
    uint8_t column[COLUMN_PLANES_MAX * (sizeof(letters) + 2) + 2], *to = column;

    *to++ = (SESSION_VCPU_NUMBER + 1) << 1;
    *to++ = form;
    for ( unsigned int i = 0; i < COLUMN_PLANES_MAX; i++ )
    {
        to = put_number(to, stream);
        memcpy(to, letters, sizeof(letters));
        to += sizeof(letters);
    }
    blocks_noise(maker);
    put_rows(maker, SESSION_TABLE_VCPU);
    for ( unsigned int i = 0; i < COLUMNS_AGAIN; i++ )
        hostile_need(buffer_append(section, column, (size_t)(to - column)),
                     "no memory");
    blocks_resize_table(maker);
    blocks_repeat_block(maker);
}

static void make_accounts(struct blocks_maker *maker)
{
    blocks_noise(maker);
    put_rows(maker, SESSION_TABLE_RING);
    blocks_rows(maker, SESSION_TABLE_ACCOUNT);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_row(maker)[SESSION_ACCOUNT_RING] = 1 + i;
    put_kept(maker);
    blocks_repeat_block(maker);
}

static void make_idle(struct blocks_maker *maker)
{
    blocks_noise(maker);
    blocks_rows(maker, SESSION_TABLE_IDLE);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_row(maker)[SESSION_IDLE_PCPU] = i;
    blocks_end_rows(maker, &maker->tables, 0);
    blocks_repeat_block(maker);
}

/* Each vCPU after any other waits without end. */
static void make_waits(struct blocks_maker *maker)
{
    blocks_noise(maker);
    put_vcpus(maker, ROWS);
    blocks_write_block(maker, 0);
    blocks_begin_block(maker);
    blocks_rows(maker, SESSION_TABLE_WAIT);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_WAIT_VCPU] = 2 + i;
        row[SESSION_WAIT_TIME] = 1000;
        row[SESSION_WAIT_SPAN] = 100;
        row[SESSION_WAIT_RUNNING] = row[SESSION_WAIT_RUNNABLE] = 10;
        row[SESSION_WAIT_DEVICE] = row[SESSION_WAIT_CAPPED] = 10;
    }
    put_kept(maker);
    blocks_repeat_block(maker);
}

/* It is said for how much time samples stand, of any vCPU and second. */
static void make_ticks(struct blocks_maker *maker)
{
    put_vcpus(maker, VCPUS);
    blocks_rows(maker, SESSION_TABLE_TICKS);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_TICKS_VCPU] = 2 + i % VCPUS;
        row[SESSION_TICKS_SECOND] = i * i;
        row[SESSION_TICKS_TIME] = row[SESSION_TICKS_SCALE] = ~i;
    }
    put_kept(maker);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    blocks_sample(maker, 1);
    blocks_end_rows(maker, &maker->samples, 0);
    do
        blocks_write_block(maker, SESSION_BLOCK_TICKS);
    while ( !blocks_full(maker) );
}

/* Each vCPU after any other waits once, for some domain or other. */
static void make_latencies(struct blocks_maker *maker)
{
    blocks_noise(maker);
    put_vcpus(maker, ROWS);
    blocks_write_block(maker, 0);
    blocks_begin_block(maker);
    blocks_rows(maker, SESSION_TABLE_LATENCY);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_LATENCY_VCPU] = 2 + i;
        row[SESSION_LATENCY_TIME] = 1000;
        row[SESSION_LATENCY_BY] = 1;
        row[SESSION_LATENCY_COUNT] = row[SESSION_LATENCY_SUM] = 1;
    }
    put_kept(maker);
    blocks_repeat_block(maker);
}

/* Each vCPU leaves the processor for a reason that has a long name. */
static void make_exits(struct blocks_maker *maker)
{
    blocks_noise(maker);
    put_vcpus(maker, ROWS);
    blocks_rows(maker, SESSION_TABLE_ENTRY);
    blocks_row(maker)[SESSION_ENTRY_KIND] = XENOPROF_ENTRY_VMX;
    blocks_row(maker)[SESSION_ENTRY_KIND] = XENOPROF_ENTRY_SVM;
    blocks_end_rows(maker, &maker->tables, 1);
    blocks_write_block(maker, 0);
    blocks_begin_block(maker);
    blocks_rows(maker, SESSION_TABLE_EXIT);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_EXIT_VCPU] = 2 + i;
        row[SESSION_EXIT_TIME] = 1000;
        row[SESSION_EXIT_ENTRY] = 1 + i % 2;
        row[SESSION_EXIT_COUNT] = 1;
    }
    put_kept(maker);
    blocks_repeat_block(maker);
}

/* A domain changes its name without end. */
static void make_notes(struct blocks_maker *maker)
{
    blocks_noise(maker);
    blocks_rows(maker, SESSION_TABLE_NOTE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_NOTE_DOMAIN] = 1;
        row[SESSION_NOTE_KEY] = 1 + i % TEXTS;
    }
    blocks_end_rows(maker, &maker->tables, 0);
    blocks_repeat_block(maker);
}

/* A place changes its name without end. */
static void make_named(struct blocks_maker *maker)
{
    blocks_noise(maker);
    blocks_rows(maker, SESSION_TABLE_SYMBOL);
    for ( size_t i = 0; i < 2; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_SYMBOL_IMAGE] = TEXT_KIND;
        row[SESSION_SYMBOL_NAME] = TEXT_KIND + i;
    }
    blocks_end_rows(maker, &maker->tables, 1);
    blocks_rows(maker, SESSION_TABLE_NAMED);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_NAMED_PLACE] = 1;
        row[SESSION_NAMED_SYMBOL] = 1 + i % 2;
    }
    blocks_end_rows(maker, &maker->tables, 0);
    blocks_write_block(maker, 0);
    /* Symbols are defined once. */
    blocks_begin_block(maker);
    blocks_end_rows(maker, &maker->tables, 0);
    blocks_repeat_block(maker);
}

/* A text of 8 MiB that is one letter. */
static void make_texts(struct blocks_maker *maker)
{
    char *text = malloc(COLUMN_BYTES_MAX);

    hostile_need(text, "no memory");
    memset(text, 'a', COLUMN_BYTES_MAX);
    blocks_noise(maker);
    do
    {
        blocks_begin_file(maker);
        blocks_rows(maker, SESSION_TABLE_TEXT);
        blocks_text(maker, text, COLUMN_BYTES_MAX);
        blocks_end_rows(maker, &maker->tables, TEXTS + 1);
        blocks_write_block(maker, 0);
    } while ( !blocks_full(maker) );
    free(text);
}

/* Places, each with a long name of its own. */
static void make_strings(struct blocks_maker *maker)
{
    char text[4096];

    memset(text, 'a', sizeof(text));
    blocks_rows(maker, SESSION_TABLE_TEXT);
    for ( size_t i = 0; i < 2000; i++ )
    {
        memcpy(text + sizeof(text) - sizeof(i), &i, sizeof(i));
        blocks_text(maker, text, sizeof(text));
    }
    blocks_end_rows(maker, &maker->tables, TEXTS + 1);
    blocks_rows(maker, SESSION_TABLE_SYMBOL);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_SYMBOL_IMAGE] = TEXTS + 1 + i % 1999;
        row[SESSION_SYMBOL_NAME] = TEXTS + 1 + i % 2000;
    }
    blocks_end_rows(maker, &maker->tables, 1);
    blocks_rows(maker, SESSION_TABLE_PLACE);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_PLACE_SPACE] = 1;
        row[SESSION_PLACE_HAS] = PLACE_HAS_OFFSET;
        row[SESSION_PLACE_SYMBOL] = row[SESSION_PLACE_OFFSET] = 1 + i;
    }
    blocks_end_rows(maker, &maker->tables, 2);
    blocks_rows(maker, SESSION_TABLE_NODE);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_row(maker)[SESSION_NODE_PLACE] = 1 + i;
    blocks_end_rows(maker, &maker->tables, 2);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( size_t i = 0; i < ROWS; i++ )
        blocks_sample(maker, 2 + i);
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_write_block(maker, 0);
    maker->tables.section.used = 0;
    blocks_repeat_block(maker);
}

/* The longest code of a function, and the longest texts beside it, without
 * end. */
static void make_code(struct blocks_maker *maker)
{
    static const uint32_t tables[] = {
        SESSION_TABLE_CODE, SESSION_TABLE_INSTRUCTION, SESSION_TABLE_SOURCE};
    static char text[XENOPROF_CODE_MAX];

    memset(text, 'a', sizeof(text));
    blocks_noise(maker);
    blocks_rows(maker, SESSION_TABLE_TEXT);
    blocks_text(maker, text, sizeof(text));
    blocks_text(maker, text, XENOPROF_CODE_TEXT_MAX);
    blocks_end_rows(maker, &maker->tables, TEXTS + 1);
    blocks_rows(maker, SESSION_TABLE_SYMBOL);
    for ( size_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        row[SESSION_SYMBOL_IMAGE] = row[SESSION_SYMBOL_NAME] = TEXTS + 2;
        row[SESSION_SYMBOL_START] = i;
    }
    blocks_end_rows(maker, &maker->tables, 1);
    blocks_write_block(maker, 0);
    blocks_begin_block(maker);
    for ( size_t table = 0; table < 3; table++ )
    {
        blocks_rows(maker, tables[table]);
        for ( size_t i = 0; i < ROWS; i++ )
        {
            uint64_t *row = blocks_row(maker);

            /* All other columns are texts, or any number. */
            for ( size_t j = 0; j < maker->table.count; j++ )
                row[j] = j < 2 ? 1 : TEXTS + 2;
            row[SESSION_CODE_SYMBOL] = 1 + i;
            if ( tables[table] != SESSION_TABLE_CODE )
                continue;
            row[SESSION_CODE_BYTES] = TEXTS + 1;
            row[SESSION_CODE_FROM] = row[SESSION_CODE_LENGTH] = 0;
        }
        blocks_end_rows(maker, &maker->tables, 0);
    }
    blocks_repeat_block(maker);
}

/* Each small file has a last node, and so unknown ones before it. */
static void make_numbers(struct blocks_maker *maker)
{
    do
    {
        blocks_begin_file(maker);
        blocks_rows(maker, SESSION_TABLE_NODE);
        blocks_row(maker)[SESSION_NODE_PLACE] = 1;
        blocks_end_rows(maker, &maker->tables, FILE_NODES_MAX);
        blocks_rows(maker, SESSION_TABLE_SAMPLE);
        blocks_sample(maker, FILE_NODES_MAX);
        blocks_end_rows(maker, &maker->samples, 0);
        blocks_write_block(maker, 0);
    } while ( !blocks_full(maker) );
}

/* Each block comes after one that was lost, and who ran is said much later. */
static void make_gaps(struct blocks_maker *maker)
{
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    for ( size_t i = 0; i < 16; i++ )
        blocks_sample(maker, 1);
    blocks_end_rows(maker, &maker->samples, 0);
    for ( unsigned int i = 1; !blocks_full(maker) && i < GAPS_MOST; i++ )
    {
        maker->files.sequence++;
        blocks_write_block(maker, i % GAP ? 0 : SESSION_BLOCK_ABSOLUTE);
    }
}

/* Rows that are all different, said again in each block. */
static void repeat_rows(struct blocks_maker *maker, uint32_t number)
{
    blocks_noise(maker);
    blocks_rows(maker, number);
    for ( uint64_t i = 0; i < ROWS; i++ )
    {
        uint64_t *row = blocks_row(maker);

        for ( unsigned int j = 0; j < maker->table.count; j++ )
            row[j] = 1 + i % 65535;
    }
    blocks_end_rows(maker, &maker->tables, 1);
    blocks_repeat_block(maker);
}

static void make_domains(struct blocks_maker *maker)
{
    repeat_rows(maker, SESSION_TABLE_DOMAIN);
}

static void make_places(struct blocks_maker *maker)
{
    repeat_rows(maker, SESSION_TABLE_PLACE);
}

static void make_rings(struct blocks_maker *maker)
{
    repeat_rows(maker, SESSION_TABLE_RING);
}

/* Sound headers, and no payload that belongs to them. */
static void make_damage(struct blocks_maker *maker)
{
    struct session_block_header header = {.samples = 1000};

    put_rows(maker, SESSION_TABLE_VCPU);
    session_block_seal(&header, &maker->tables.section,
                       &maker->samples.section);
    while ( !blocks_full(maker) )
        hostile_put(&maker->files, &header, sizeof(header));
}

/* Nothing but the beginnings of headers. */
static void make_magics(struct blocks_maker *maker)
{
    uint32_t magics[65536];

    for ( size_t i = 0; i < 65536; i++ )
        magics[i] = SESSION_BLOCK_MAGIC;
    do
        hostile_put(&maker->files, magics, sizeof(magics));
    while ( !blocks_full(maker) );
}

static const struct kind {
    const char *name;
    void (*make)(struct blocks_maker *maker);
} kinds[] = {
    {"accounts", make_accounts},   {"alike", make_alike},
    {"cells", make_cells},         {"code", make_code},
    {"combs", make_combs},         {"damage", make_damage},
    {"deep", make_deep},           {"domains", make_domains},
    {"entries", make_entries},     {"exits", make_exits},
    {"gaps", make_gaps},           {"idle", make_idle},
    {"latencies", make_latencies}, {"magics", make_magics},
    {"matches", make_matches},     {"moments", make_moments},
    {"named", make_named},         {"notes", make_notes},
    {"numbers", make_numbers},     {"places", make_places},
    {"rings", make_rings},         {"rows", make_rows},
    {"shapes", make_shapes},       {"strings", make_strings},
    {"texts", make_texts},         {"threads", make_threads},
    {"ticks", make_ticks},         {"types", make_types},
    {"waits", make_waits},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

int main(int argc, char **argv)
{
    struct blocks_maker maker;

    for ( size_t i = 0; i < KINDS; i++ )
    {
        if ( argc < 4 )
            puts(kinds[i].name);
        else if ( !strcmp(argv[2], kinds[i].name) )
        {
            blocks_begin(&maker, argv[1], argv[3]);
            kinds[i].make(&maker);
            blocks_end(&maker);
            return 0;
        }
    }
    return argc >= 4;
}
