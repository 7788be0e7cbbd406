/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a block, samples apart, and the texts and domains in them. */
#include <string.h>

#include "format-members.h"
#include "session-writer.h"

uint64_t *block_add_row(struct xenoprof_writer *writer, uint32_t number,
                        const void *from)
{
    struct session_table table;
    uint64_t *row;

    session_table_find(number, &table);
    row = session_rows_add(&writer->block.rows[number], &table);
    if ( row && from )
        session_row_put(&table, from, row);
    return row;
}

uint32_t writer_text(struct xenoprof_writer *writer, const char *text)
{
    size_t before = writer->tables.text_bytes.used;
    uint32_t number = define_text(&writer->tables, text, strlen(text));

    writer->block.pending += writer->tables.text_bytes.used - before;
    return number;
}

uint32_t writer_domain_row(struct xenoprof_writer *writer, uint16_t number)
{
    uint32_t *row = &writer->domain_rows[number];
    uint64_t uuid[2] = {0, 0};
    uint32_t kind = 0;
    const struct domain_state *domain;

    if ( *row )
        return *row;
    domain = state_domain_now(&writer->state, number);
    if ( domain )
    {
        memcpy(uuid, domain->uuid, sizeof(uuid));
        kind = writer_text(writer, domain->kind);
        if ( !kind )
            return 0;
    }
    return *row = define_domain(&writer->tables, number, uuid, kind);
}

uint32_t writer_text_row(struct xenoprof_writer *writer, const char *text,
                         bool *done)
{
    uint32_t number;

    if ( !*text )
        return 0;
    number = writer_text(writer, text);
    *done &= number != 0;
    return number;
}

bool block_note(struct xenoprof_writer *writer, uint64_t time, uint32_t domain,
                const char *key, const char *value)
{
    bool done = true;
    uint32_t key_row = writer_text_row(writer, key, &done);
    uint32_t value_row = writer_text_row(writer, value, &done);
    uint64_t *row = done ? block_add_row(writer, SESSION_TABLE_NOTE, NULL)
                         : NULL;

    if ( !row )
        return false;
    row[SESSION_NOTE_TIME] = time;
    row[SESSION_NOTE_DOMAIN] = domain;
    row[SESSION_NOTE_KEY] = key_row;
    row[SESSION_NOTE_VALUE] = value_row;
    return true;
}

static uint32_t uuid_row(struct xenoprof_writer *writer, const uint8_t *uuid)
{
    return define_text(&writer->tables, uuid, 16);
}

static void get_values(const struct xenoprof_ring_past *ring,
                       uint64_t values[SESSION_ACCOUNT_VALUES])
{
    const struct xenoprof_ring_info *info = &ring->info;
    uint64_t row[SESSION_COLUMNS_MAX] = {
        [SESSION_ACCOUNT_POSITION] = info->position,
        [SESSION_ACCOUNT_AHEAD] = info->producer - info->position,
        [SESSION_ACCOUNT_UNRELEASED] = info->position - info->released,
        [SESSION_ACCOUNT_MADE] = info->made,
        [SESSION_ACCOUNT_UNCOMMITTED] = info->made - info->committed,
        [SESSION_ACCOUNT_UNREAD] = info->committed - ring->read,
        [SESSION_ACCOUNT_LOST_DAEMON] = ring->lost_daemon,
        [SESSION_ACCOUNT_SPOOLED] = ring->spooled,
    };

    memcpy(row + SESSION_ACCOUNT_LOST_0, info->lost,
           XENOPROF_CAUSES * sizeof(*row));
    memcpy(values, row + SESSION_ACCOUNT_POSITION,
           SESSION_ACCOUNT_VALUES * sizeof(*values));
}

/* Returns the row of a ring, defined if it is new, or 0. */
static uint32_t define_ring(struct xenoprof_writer *writer,
                            const struct xenoprof_ring_info *info)
{
    struct defined_ring key = {.ring = info->ring,
                               .generation = info->generation},
                        *ring;
    size_t known = writer->tables.rings.count;

    if ( !vector_reserve(&writer->rings, 1) )
        return 0;
    ring = table_put(&writer->tables.rings, &key);
    if ( !ring )
        return 0;
    if ( writer->tables.rings.count > known )
    {
        vector_add(&writer->rings);
        ring->domain = info->domain;
        ring->vcpu = info->vcpu;
        ring->kind = info->kind;
        ring->size = info->size;
        ring->uuid = uuid_row(writer, info->uuid);
    }
    return ring->uuid ? (uint32_t)table_index(&writer->tables.rings, ring) + 1
                      : 0;
}

/* Adds how far a ring has come since it was said last. */
static bool add_account(struct xenoprof_writer *writer, uint32_t number)
{
    struct defined_ring *ring = table_at(&writer->tables.rings, number - 1);
    struct writer_ring *now = &writer->rings.items[number - 1];
    uint64_t *row = block_add_row(writer, SESSION_TABLE_ACCOUNT, NULL);

    if ( !row )
        return false;
    row[SESSION_ACCOUNT_RING] = number;
    row[SESSION_ACCOUNT_STATE] = now->state;
    for ( size_t i = 0; i < SESSION_ACCOUNT_VALUES; i++ )
    {
        row[SESSION_ACCOUNT_POSITION + i] = now->values[i] - ring->reported[i];
        ring->reported[i] = now->values[i];
    }
    now->row = true;
    return true;
}

bool block_ring(struct xenoprof_writer *writer,
                const struct xenoprof_ring_past *ring)
{
    uint32_t number = define_ring(writer, &ring->info);

    if ( !number )
        return false;
    get_values(ring, writer->rings.items[number - 1].values);
    writer->rings.items[number - 1].state = ring->info.state;
    writer->rings.items[number - 1].ended = false;
    return add_account(writer, number);
}

bool block_counters(struct xenoprof_writer *writer, uint64_t time,
                    const struct xenoprof_counters *counters)
{
    uint64_t *row = block_add_row(writer, SESSION_TABLE_COUNTERS, counters);

    if ( !row )
        return false;
    row[SESSION_COUNTERS_TIME] = time;
    return true;
}

static bool add_idle(struct xenoprof_writer *writer, struct writer_idle *idle)
{
    uint64_t *row = block_add_row(writer, SESSION_TABLE_IDLE, NULL);

    if ( !row )
        return false;
    row[SESSION_IDLE_PCPU] = idle->key.pcpu;
    row[SESSION_IDLE_TIME] = idle->time;
    row[SESSION_IDLE_IDLE] = idle->idle - idle->reported;
    idle->reported = idle->idle;
    idle->row = true;
    return true;
}

bool block_idle(struct xenoprof_writer *writer, uint64_t time, uint16_t pcpu,
                uint64_t idle)
{
    const uint64_t key = pcpu;
    struct writer_idle *known = table_put(&writer->idles, &key);

    if ( !known )
        return false;
    known->time = time;
    known->idle = idle;
    return add_idle(writer, known);
}

bool block_closed(struct xenoprof_writer *writer, uint64_t time)
{
    uint64_t *row = block_add_row(writer, SESSION_TABLE_CLOSED, NULL);

    if ( row )
        row[SESSION_CLOSED_TIME] = time;
    return row;
}

/* The format describes itself, to who does not know all of it. */
static bool add_about(struct xenoprof_writer *writer,
                      const struct session_table *table,
                      const struct session_column *column)
{
    uint64_t *row = block_add_row(writer, SESSION_TABLE_ABOUT, NULL);
    bool done = row;

    if ( !done )
        return false;
    row[SESSION_ABOUT_TABLE] = table->number;
    row[SESSION_ABOUT_COLUMN] = column ? column->number : 0;
    row[SESSION_ABOUT_NAME] = writer_text_row(
        writer, column ? column->name : table->name, &done);
    row[SESSION_ABOUT_REFERS] = column ? column->refers : 0;
    row[SESSION_ABOUT_UNIT] = column
                                  ? writer_text_row(writer, column->unit, &done)
                                  : 0;
    return done;
}

static bool add_all_about(struct xenoprof_writer *writer)
{
    struct session_table table;
    bool done = true;

    for ( size_t i = 0; done && session_table_at(i, &table); i++ )
    {
        done = add_about(writer, &table, NULL);
        for ( size_t j = 0; done && j < table.count; j++ )
            done = add_about(writer, &table, &table.columns[j]);
    }
    return done;
}

bool block_sum(struct xenoprof_writer *writer,
               const struct xenoprof_ring_sum *sum)
{
    uint64_t *row = block_add_row(writer, SESSION_TABLE_SUM, sum);

    if ( !row )
        return false;
    row[SESSION_SUM_UUID] = uuid_row(writer, sum->owner.uuid);
    return row[SESSION_SUM_UUID];
}

static bool add_domain_rows(struct xenoprof_writer *writer)
{
    const struct session_state *state = &writer->state;
    bool done = true;

    for ( size_t i = 0; done && i < state->domains.count; i++ )
    {
        const struct domain_state *domain = &state->domains.items[i];
        uint32_t row = writer_domain_row(writer, domain->domain);

        done = row && block_note(writer, domain->time, row, domain->name, "");
    }
    return done;
}

bool block_known(struct xenoprof_writer *writer)
{
    const struct session_state *state = &writer->state;
    bool done = add_all_about(writer) && add_domain_rows(writer);

    /* Some attributes are of the domain that has a number. */
    for ( size_t i = 0; done && i < state->attributes.count; i++ )
        done = block_note(writer, state->attributes.items[i].time, 0,
                          state->attributes.items[i].key,
                          state->attributes.items[i].value);
    for ( size_t i = 0; done && i < state->ring_sums.count; i++ )
        done = block_sum(writer, table_at(&state->ring_sums, i));
    for ( size_t i = 0; done && i < state->rings.count; i++ )
        done = block_ring(writer, &state->rings.items[i]);
    if ( done && state->counted )
        done = block_counters(writer, state->counters_time, &state->counters);
    return done;
}

void block_begin_rows(struct xenoprof_writer *writer, bool absolute)
{
    struct writer_block *block = &writer->block;

    for ( size_t i = 0; i < SESSION_TABLES_MAX; i++ )
        block->rows[i].count = 0;
    block->samples.count = 0;
    block->pending = 0;
    block->absolute = absolute;
    for ( size_t i = 0; i < writer->rings.count; i++ )
        writer->rings.items[i].row = false;
    for ( size_t i = 0; i < writer->idles.count; i++ )
        ((struct writer_idle *)table_at(&writer->idles, i))->row = false;
    if ( !absolute )
        return;
    /* From here on differences are those to 0. */
    for ( size_t i = 0; i < writer->tables.rings.count; i++ )
    {
        struct defined_ring *ring = table_at(&writer->tables.rings, i);

        memset(ring->reported, 0, sizeof(ring->reported));
    }
    for ( size_t i = 0; i < writer->idles.count; i++ )
        ((struct writer_idle *)table_at(&writer->idles, i))->reported = 0;
}

/* Rows of one ring or pCPU follow each other: the first becomes what it leads
 * to.  said is what was said before the block, and 0 after its first row. */
static void add_before(uint64_t *row, uint64_t *reported, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
    {
        row[i] += reported[i];
        reported[i] = 0;
    }
}

static void take_back(const uint64_t *row, uint64_t *reported, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        reported[i] -= row[i];
}

static void make_accounts_absolute(struct xenoprof_writer *writer)
{
    const struct session_rows *rows =
        &writer->block.rows[SESSION_TABLE_ACCOUNT];
    struct table *rings = &writer->tables.rings;
    struct session_table table;

    session_table_find(SESSION_TABLE_ACCOUNT, &table);
    for ( size_t at = rows->count; at > 0; at -= table.count )
    {
        const uint64_t *row = rows->items + at - table.count;
        struct defined_ring *ring = table_at(rings,
                                             row[SESSION_ACCOUNT_RING] - 1);

        take_back(row + SESSION_ACCOUNT_POSITION, ring->reported,
                  SESSION_ACCOUNT_VALUES);
    }
    for ( size_t at = 0; at < rows->count; at += table.count )
    {
        uint64_t *row = rows->items + at;
        struct defined_ring *ring = table_at(rings,
                                             row[SESSION_ACCOUNT_RING] - 1);

        add_before(row + SESSION_ACCOUNT_POSITION, ring->reported,
                   SESSION_ACCOUNT_VALUES);
    }
    for ( size_t i = 0; i < rings->count; i++ )
    {
        struct defined_ring *ring = table_at(rings, i);
        const struct writer_ring *now = &writer->rings.items[i];

        for ( size_t j = 0; j < SESSION_ACCOUNT_VALUES; j++ )
            ring->reported[j] = now->row ? now->values[j] : 0;
    }
}

static void make_idle_absolute(struct xenoprof_writer *writer)
{
    const struct session_rows *rows = &writer->block.rows[SESSION_TABLE_IDLE];
    struct session_table table;

    session_table_find(SESSION_TABLE_IDLE, &table);
    for ( size_t at = rows->count; at > 0; at -= table.count )
    {
        const uint64_t *row = rows->items + at - table.count;
        struct writer_idle *idle = table_find(&writer->idles,
                                              &row[SESSION_IDLE_PCPU]);

        take_back(row + SESSION_IDLE_IDLE, &idle->reported, 1);
    }
    for ( size_t at = 0; at < rows->count; at += table.count )
    {
        uint64_t *row = rows->items + at;
        struct writer_idle *idle = table_find(&writer->idles,
                                              &row[SESSION_IDLE_PCPU]);

        add_before(row + SESSION_IDLE_IDLE, &idle->reported, 1);
    }
    for ( size_t i = 0; i < writer->idles.count; i++ )
    {
        struct writer_idle *idle = table_at(&writer->idles, i);

        idle->reported = idle->row ? idle->idle : 0;
    }
}

void block_make_absolute(struct xenoprof_writer *writer)
{
    if ( writer->block.absolute )
        return;
    make_accounts_absolute(writer);
    make_idle_absolute(writer);
    writer->block.absolute = true;
    writer->relative = 0;
}

/* An absolute block says all there is, changed or not. */
bool block_complete(struct xenoprof_writer *writer)
{
    bool done = true;

    if ( !writer->block.absolute )
        return true;
    for ( size_t i = 0; done && i < writer->rings.count; i++ )
        if ( !writer->rings.items[i].row && !writer->rings.items[i].ended )
            done = add_account(writer, (uint32_t)i + 1);
    for ( size_t i = 0; done && i < writer->idles.count; i++ )
    {
        struct writer_idle *idle = table_at(&writer->idles, i);

        if ( !idle->row )
            done = add_idle(writer, idle);
    }
    return done;
}

void block_free(struct writer_block *block)
{
    for ( size_t i = 0; i < SESSION_TABLES_MAX; i++ )
        vector_free(&block->rows[i]);
    vector_free(&block->samples);
}
