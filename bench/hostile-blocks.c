/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hostile-blocks.h"

#include <string.h>

#include "libxenoprof/session/session-attributes.h"
#include "libxenoprof/session/session-block.h"

#define BLOCKS_MOST 20000u
#define FILES_MOST  2000u
#define NOBODY      127u /* a table that no reader knows */

void blocks_rows(struct blocks_maker *maker, uint32_t number)
{
    hostile_need(session_table_find(number, &maker->table), "no such table");
    maker->rows.count = maker->count = 0;
    maker->bytes.used = 0;
}

uint64_t *blocks_row(struct blocks_maker *maker)
{
    uint64_t *row = session_rows_add(&maker->rows, &maker->table);

    hostile_need(row, "no memory");
    maker->count++;
    return row;
}

void blocks_end_rows(struct blocks_maker *maker, struct section_writer *into,
                     uint64_t first)
{
    hostile_need(section_put(into, &maker->table, maker->rows.items,
                             maker->count, first, &maker->bytes),
                 "no memory");
    if ( into == &maker->samples )
        maker->sample_rows = (uint32_t)maker->count;
}

void blocks_resize_table(struct blocks_maker *maker)
{
    struct buffer *section = &maker->tables.section;
    uint32_t size;

    /* Its number is one byte. */
    size = (uint32_t)(section->used - 1 - sizeof(size));
    memcpy(section->bytes + 1, &size, sizeof(size));
}

void blocks_text(struct blocks_maker *maker, const char *text, size_t size)
{
    blocks_row(maker)[SESSION_TEXT_LENGTH] = size;
    hostile_need(buffer_append(&maker->bytes, text, size), "no memory");
}

void blocks_write_block(struct blocks_maker *maker, uint32_t flags)
{
    struct session_block_header header = {
        .flags = flags,
        .sequence = maker->files.sequence++,
        .samples = maker->sample_rows,
        .first = 1,
        .last = 1000000000,
        .before = maker->samples_before,
    };

    session_block_seal(&header, &maker->tables.section,
                       &maker->samples.section);
    hostile_put(&maker->files, &header, sizeof(header));
    hostile_put(&maker->files, maker->tables.section.bytes,
                maker->tables.section.used);
    hostile_put(&maker->files, maker->samples.section.bytes,
                maker->samples.section.used);
    maker->samples_before += maker->sample_rows;
}

void blocks_begin_block(struct blocks_maker *maker)
{
    maker->tables.section.used = maker->samples.section.used = 0;
    maker->sample_rows = 0;
}

static void put_texts(struct blocks_maker *maker)
{
    static const char *const texts[] = {
        SESSION_ATTRIBUTE_UTC, "1700000000000000000", "passive", "name"};

    blocks_rows(maker, SESSION_TABLE_TEXT);
    for ( size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++ )
        blocks_text(maker, texts[i], strlen(texts[i]));
    blocks_end_rows(maker, &maker->tables, 1);
}

static void put_one(struct blocks_maker *maker, uint32_t table,
                    unsigned int slot, uint64_t value)
{
    blocks_rows(maker, table);
    blocks_row(maker)[slot] = value;
    blocks_end_rows(maker, &maker->tables, 1);
}

/* A file, and what every session needs to be shown at all. */
static void begin_file(struct blocks_maker *maker)
{
    hostile_begin_file(&maker->files);
    blocks_begin_block(maker);
    put_texts(maker);
    blocks_rows(maker, SESSION_TABLE_NOTE);
    blocks_row(maker)[SESSION_NOTE_KEY] = TEXT_UTC;
    maker->rows.items[SESSION_NOTE_VALUE] = TEXT_NOW;
    blocks_end_rows(maker, &maker->tables, 0);
    put_one(maker, SESSION_TABLE_DOMAIN, SESSION_DOMAIN_KIND, TEXT_KIND);
    put_one(maker, SESSION_TABLE_VCPU, SESSION_VCPU_DOMAIN, 1);
    put_one(maker, SESSION_TABLE_SPACE, SESSION_SPACE_DOMAIN, 1);
    put_one(maker, SESSION_TABLE_PLACE, SESSION_PLACE_SPACE, 1);
    put_one(maker, SESSION_TABLE_NODE, SESSION_NODE_PLACE, 1);
    blocks_rows(maker, SESSION_TABLE_SHAPE);
    blocks_row(maker)[SESSION_SHAPE_HAS] = SHAPE_HAS_XEN;
    maker->rows.items[SESSION_SHAPE_WEIGHT] = 1;
    maker->rows.items[SESSION_SHAPE_PERIOD] = 1000000;
    blocks_end_rows(maker, &maker->tables, 1);
}

uint64_t *blocks_sample(struct blocks_maker *maker, uint64_t node)
{
    uint64_t *row = blocks_row(maker);

    row[SESSION_SAMPLE_SHAPE] = row[SESSION_SAMPLE_VCPU] = 1;
    row[SESSION_SAMPLE_TIME] = 1;
    row[SESSION_SAMPLE_XEN] = node;
    return row;
}

void blocks_begin_file(struct blocks_maker *maker)
{
    begin_file(maker);
    blocks_rows(maker, SESSION_TABLE_SAMPLE);
    blocks_sample(maker, 1);
    blocks_end_rows(maker, &maker->samples, 0);
    blocks_write_block(maker, SESSION_BLOCK_ABSOLUTE);
    blocks_begin_block(maker);
}

void blocks_noise(struct blocks_maker *maker)
{
    const uint64_t end = hostile_noise_end(&maker->files);
    struct buffer *section = &maker->tables.section;

    while ( maker->files.written < end )
    {
        uint64_t left = end - maker->files.written;
        uint32_t size = left < SESSION_SECTION_MAX ? (uint32_t)left
                                                   : SESSION_SECTION_MAX;

        size -= size < 64 ? 0 : 64;
        blocks_begin_block(maker);
        hostile_need(buffer_reserve(section, size + 64), "no memory");
        section->bytes[0] = NOBODY;
        memcpy(section->bytes + 1, &size, sizeof(size));
        section->used = 1 + sizeof(size);
        for ( uint32_t i = 0; i < size; i++ )
            section->bytes[section->used++] = (uint8_t)hostile_random(
                &maker->files);
        blocks_write_block(maker, 0);
    }
    blocks_begin_block(maker);
}

bool blocks_full(const struct blocks_maker *maker)
{
    return maker->files.written >= maker->files.most ||
           maker->files.file >= FILES_MOST;
}

void blocks_repeat_block(struct blocks_maker *maker)
{
    uint64_t last = maker->files.sequence + BLOCKS_MOST;

    do
        blocks_write_block(maker, 0);
    while ( !blocks_full(maker) && maker->files.sequence < last );
}

void blocks_repeat_tables(struct blocks_maker *maker)
{
    struct buffer *section = &maker->tables.section;
    size_t once = section->used;

    hostile_need(buffer_reserve(section, SESSION_SECTION_MAX), "no memory");
    while ( section->used + once <= SESSION_SECTION_MAX )
        hostile_need(buffer_append(section, section->bytes, once), "no memory");
}

void blocks_begin(struct blocks_maker *maker, const char *folder,
                  const char *mib)
{
    *maker = (struct blocks_maker){.count = 0};
    hostile_begin(&maker->files, folder, mib);
    hostile_need(column_packer_init(&maker->tables.columns) &&
                     column_packer_init(&maker->samples.columns) &&
                     vector_reserve(&maker->shapes, 1),
                 "no memory");
    maker->shapes.items[maker->shapes.count++] = SHAPE_HAS_XEN;
    maker->tables.shapes = maker->samples.shapes = &maker->shapes;
    blocks_begin_file(maker);
}

void blocks_end(struct blocks_maker *maker)
{
    hostile_end(&maker->files);
    section_writer_free(&maker->tables);
    section_writer_free(&maker->samples);
    vector_free(&maker->shapes);
    vector_free(&maker->rows);
    buffer_free(&maker->bytes);
}
