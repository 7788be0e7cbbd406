/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seals a block: definitions and rows first, then the samples in columns. */
#include <string.h>

#include "base/sort-rows.h"
#include "session-writer.h"

static bool put_block_table(struct section_writer *section, uint32_t number,
                            const struct session_rows *rows)
{
    struct session_table table;
    size_t count, done = 0;

    session_table_find(number, &table);
    count = rows->count / table.count;
    while ( done < count )
    {
        size_t most = count - done < COLUMN_ROWS_MAX ? count - done
                                                     : COLUMN_ROWS_MAX;

        if ( !section_put(section, &table, rows->items + done * table.count,
                          most, 0, NULL) )
            return false;
        done += most;
    }
    return true;
}

_Static_assert(SESSION_TABLE_SOURCE < SESSION_TABLES_MAX,
               "the tables of a block have room");
_Static_assert(!SESSION_NAMED_PLACE && !SESSION_LINE_PLACE,
               "a place is what a row begins with");

/* Of places that the block itself may have given a number. */
static bool put_of_places(struct xenoprof_writer *writer, uint32_t number)
{
    const struct session_rows *said = &writer->block.rows[number];
    struct session_rows rows = {NULL, 0, 0};
    struct session_table table;
    bool done = vector_reserve(&rows, said->count);

    session_table_find(number, &table);
    for ( size_t i = 0; done && i < said->count; i += table.count )
    {
        uint64_t *row = rows.items + i;

        memcpy(row, said->items + i, table.count * sizeof(*row));
        row[0] = defined_place_number(&writer->tables, (uint32_t)row[0]);
        rows.count += table.count;
    }
    done = done && put_block_table(&writer->section, number, &rows);
    vector_free(&rows);
    return done;
}

/* Rows of all tables, but samples. */
static bool put_all_rows(struct xenoprof_writer *writer)
{
    struct session_table table;
    bool done = true;

    for ( size_t i = 0; done && session_table_at(i, &table); i++ )
        if ( table.number == SESSION_TABLE_NAMED ||
             table.number == SESSION_TABLE_LINE )
            done = put_of_places(writer, table.number);
        else if ( table.number != SESSION_TABLE_SAMPLE )
            done = put_block_table(&writer->section, table.number,
                                   &writer->block.rows[table.number]);
    return done;
}

/* Samples of a vCPU lie side by side: they are alike.  Most often they came in
 * the order of time, so they are in order as soon as they are by vCPU and pCPU.
 * Returns false if there is no memory. */
static bool sort_samples(struct writer_block *block)
{
    const unsigned int width = sizeof(struct block_sample) / sizeof(uint32_t);
    uint32_t *rows = (uint32_t *)block->samples.items;

    return !block->samples.count ||
           (sort_rows(rows, block->samples.count, width,
                      offsetof(struct block_sample, time) / sizeof(uint32_t)) &&
            sort_rows(rows, block->samples.count, width,
                      offsetof(struct block_sample, shape) / sizeof(uint32_t)));
}

/* first: of the block's samples. */
static void sample_row(const struct xenoprof_writer *writer, uint64_t first,
                       const struct block_sample *sample, uint64_t *row)
{
    const struct defined_tables *tables = &writer->tables;

    row[SESSION_SAMPLE_SHAPE] = sample->shape;
    row[SESSION_SAMPLE_VCPU] = sample->vcpu;
    row[SESSION_SAMPLE_PCPU] = sample->pcpu;
    row[SESSION_SAMPLE_TIME] = block_sample_time(sample) / writer->unit;
    row[SESSION_SAMPLE_USER] = defined_node_number(tables,
                                                   sample->nodes[CHAIN_USER]);
    row[SESSION_SAMPLE_KERNEL] = defined_node_number(
        tables, sample->nodes[CHAIN_KERNEL]);
    row[SESSION_SAMPLE_XEN] = defined_node_number(tables,
                                                  sample->nodes[CHAIN_XEN]);
    row[SESSION_SAMPLE_SCALE] = writer->unit;
    row[SESSION_SAMPLE_THREAD] = sample->thread;
    row[SESSION_SAMPLE_SECOND] = block_sample_time(sample) / XENOPROF_SECOND -
                                 first / XENOPROF_SECOND;
}

static bool put_samples(struct xenoprof_writer *writer, uint64_t first)
{
    struct writer_block *block = &writer->block;
    struct session_rows rows = {NULL, 0, 0};
    struct session_table table;
    bool done = true;

    writer->samples_section.section.used = 0;
    if ( !block->samples.count )
        return true;
    session_table_find(SESSION_TABLE_SAMPLE, &table);
    for ( size_t i = 0; done && i < block->samples.count; i++ )
    {
        uint64_t *row = session_rows_add(&rows, &table);

        done = row;
        if ( row )
            sample_row(writer, first, &block->samples.items[i], row);
    }
    if ( done )
        done = section_put(&writer->samples_section, &table, rows.items,
                           block->samples.count, 0, NULL);
    vector_free(&rows);
    return done;
}

struct block_ticks {
    struct {
        uint32_t vcpu;   /* row */
        uint32_t second; /* after that of the block's first sample */
    } key;
    uint64_t ns;
};

/* Returns how many ns a sample stands for; 0: it is not of time in which a pCPU
 * worked. */
static uint64_t ticks_of(const struct xenoprof_writer *writer,
                         const struct block_sample *sample)
{
    const struct defined_shape *shape = table_at(&writer->tables.shapes,
                                                 sample->shape - 1);

    return shape->type == writer->types[XENOPROF_TYPE_TIME].row &&
                   (shape->has & SHAPE_HAS_MODE) != XENOPROF_MODE_IDLE
               ? shape->weight * shape->period
               : 0;
}

static bool sum_ticks(const struct xenoprof_writer *writer, uint64_t first,
                      struct table *sums)
{
    const struct writer_block *block = &writer->block;
    size_t last = 0;

    for ( size_t i = 0; i < block->samples.count; i++ )
    {
        const struct block_sample *sample = &block->samples.items[i];
        const struct block_ticks key = {
            .key = {sample->vcpu,
                    (uint32_t)(block_sample_time(sample) / XENOPROF_SECOND -
                               first / XENOPROF_SECOND)}};
        struct block_ticks *ticks = table_put_last(sums, &last, &key);

        if ( !ticks )
            return false;
        ticks->ns += ticks_of(writer, sample);
    }
    return true;
}

/* Most stand for a small number of one and the same period. */
static uint64_t common_divisor(const struct table *sums)
{
    uint64_t divisor = 0;

    for ( size_t i = 0; i < sums->count; i++ )
    {
        uint64_t ns = ((struct block_ticks *)table_at(sums, i))->ns;

        while ( ns )
        {
            const uint64_t rest = divisor % ns;

            divisor = ns;
            ns = rest;
        }
    }
    return divisor ? divisor : 1;
}

/* Adds rows of what the samples of a block stand for, by vCPU and second. */
static bool add_ticks(struct xenoprof_writer *writer, uint64_t first)
{
    struct table sums;
    uint64_t scale;
    bool done;

    table_init(&sums, sizeof(((struct block_ticks *)0)->key),
               sizeof(struct block_ticks));
    writer->block.rows[SESSION_TABLE_TICKS].count = 0; /* of an earlier try */
    done = sum_ticks(writer, first, &sums);
    scale = common_divisor(&sums);
    for ( size_t i = 0; done && i < sums.count; i++ )
    {
        const struct block_ticks *ticks = table_at(&sums, i);
        uint64_t *row = block_add_row(writer, SESSION_TABLE_TICKS, NULL);

        done = row;
        if ( !row )
            break;
        row[SESSION_TICKS_VCPU] = ticks->key.vcpu;
        row[SESSION_TICKS_SECOND] = ticks->key.second;
        row[SESSION_TICKS_TIME] = ticks->ns / scale;
        row[SESSION_TICKS_SCALE] = scale;
    }
    table_free(&sums);
    return done;
}

/* Those of its samples; without any the time that the block counts up to. */
static void note_times(const struct xenoprof_writer *writer,
                       struct session_block_header *header)
{
    const struct writer_block *block = &writer->block;

    if ( !block->samples.count )
        header->first = header->last = writer->newest;
    for ( size_t i = 0; i < block->samples.count; i++ )
    {
        uint64_t time = block_sample_time(&block->samples.items[i]);

        if ( i == 0 || header->first > time )
            header->first = time;
        if ( header->last < time )
            header->last = time;
    }
}

bool block_seal(struct xenoprof_writer *writer)
{
    struct writer_block *block = &writer->block;
    struct session_block_header header = {
        .flags = (block->absolute ? SESSION_BLOCK_ABSOLUTE : 0) |
                 SESSION_BLOCK_TICKS,
        .sequence = writer->sequence,
        .samples = (uint32_t)block->samples.count,
        .before = writer->samples,
    };
    const struct buffer *tables = &writer->section.section;
    const struct buffer *samples = &writer->samples_section.section;

    note_times(writer, &header);
    /* Definitions, and all rows but samples; then these. */
    writer->section.section.used = 0;
    if ( !sort_samples(block) || !defined_number_nodes(&writer->tables) ||
         !block_complete(writer) || !add_ticks(writer, header.first) ||
         !defined_tables_put(&writer->tables, &writer->written, block->absolute,
                             &writer->section) ||
         !put_all_rows(writer) || !put_samples(writer, header.first) )
        return false;
    session_block_seal(&header, tables, samples);
    writer->bytes.used = 0;
    return buffer_append(&writer->bytes, &header, sizeof(header)) &&
           buffer_append(&writer->bytes, tables->bytes, tables->used) &&
           buffer_append(&writer->bytes, samples->bytes, samples->used);
}

void block_wrote(struct xenoprof_writer *writer)
{
    writer->sequence++;
    writer->samples += writer->block.samples.count;
    defined_tables_wrote(&writer->tables, &writer->written);
}
