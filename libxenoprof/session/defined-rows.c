/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file defines, as rows of a block. */
#include "format-members.h"
#include "defined-tables.h"

typedef void row_fn(const struct defined_tables *tables, size_t index,
                    uint64_t *row);

static void text_row(const struct defined_tables *tables, size_t index,
                     uint64_t *row)
{
    row[SESSION_TEXT_LENGTH] = tables->texts.items[index].size;
}

/* Addresses within a function differ in their low bytes only. */
static void place_row(const struct defined_tables *tables, size_t index,
                      uint64_t *row)
{
    const struct defined_place *place = defined_place_at(
        tables, tables->numbered_places.items[index]);
    const struct defined_symbol *symbol;

    row[SESSION_PLACE_SPACE] = place->key.space;
    row[SESSION_PLACE_SYMBOL] = place->symbol;
    if ( defined_is_named(tables, place) )
    {
        symbol = table_at(&tables->symbols, place->symbol - 1);
        row[SESSION_PLACE_HAS] = PLACE_HAS_OFFSET;
        row[SESSION_PLACE_OFFSET] = place->key.address - symbol->start;
    }
    else
    {
        row[SESSION_PLACE_HAS] = PLACE_HAS_ADDRESS;
        row[SESSION_PLACE_ADDRESS] = place->key.address;
    }
}

static void node_row(const struct defined_tables *tables, size_t index,
                     uint64_t *row)
{
    uint32_t at = tables->numbered.items[index];
    const struct defined_node *node = table_at(&tables->nodes, at - 1);

    row[SESSION_NODE_PARENT] = defined_node_number(tables, node->key.parent);
    row[SESSION_NODE_PLACE] = defined_place_number(tables, node->key.place);
}

#define COUNTED(things) offsetof(struct defined_tables, things.count)
#define TABLE(things)   COUNTED(things), offsetof(struct defined_tables, things)

static const struct definer {
    uint32_t table;
    size_t counted; /* where in the tables its count is */
    size_t things;  /* ... and the table that its rows are of, without: */
    row_fn *row;
} definers[] = {
    {SESSION_TABLE_TEXT, COUNTED(texts), 0, text_row},
    {SESSION_TABLE_DOMAIN, TABLE(domains), NULL},
    {SESSION_TABLE_VCPU, TABLE(vcpus), NULL},
    {SESSION_TABLE_SPACE, TABLE(spaces), NULL},
    {SESSION_TABLE_SYMBOL, TABLE(symbols), NULL},
    {SESSION_TABLE_PLACE, COUNTED(numbered_places), 0, place_row},
    {SESSION_TABLE_NODE, COUNTED(numbered), 0, node_row},
    {SESSION_TABLE_TYPE, TABLE(types), NULL},
    {SESSION_TABLE_ENTRY, TABLE(entries), NULL},
    {SESSION_TABLE_THREAD, TABLE(threads), NULL},
    {SESSION_TABLE_SHAPE, TABLE(shapes), NULL},
    {SESSION_TABLE_RING, TABLE(rings), NULL},
};

#define DEFINERS (sizeof(definers) / sizeof(definers[0]))

static size_t count_of(const struct defined_tables *tables,
                       const struct definer *definer)
{
    return *(const size_t *)((const char *)tables + definer->counted);
}

static const struct table *things_of(const struct defined_tables *tables,
                                     const struct definer *definer)
{
    return (const void *)((const char *)tables + definer->things);
}

static struct buffer text_bytes(const struct defined_tables *tables,
                                size_t first, size_t count)
{
    const struct defined_text *text = &tables->texts.items[first];
    const struct defined_text *last = &text[count - 1];
    size_t size = last->at + last->size - text->at;

    return (struct buffer){tables->text_bytes.bytes + text->at, size, size};
}

/* Returns how many rows from first on fit into a table of a block. */
static size_t most_rows(const struct defined_tables *tables,
                        const struct definer *definer, size_t first)
{
    size_t count = count_of(tables, definer) - first;

    /* A table each for nodes at known places and at new ones. */
    for ( size_t i = 0; definer->table == SESSION_TABLE_NODE && i < NODE_TURNS;
          i++ )
        if ( tables->turn_ends[i] > first &&
             tables->turn_ends[i] - first < count )
            count = tables->turn_ends[i] - first;
    if ( count > COLUMN_ROWS_MAX )
        count = COLUMN_ROWS_MAX;
    if ( definer->table == SESSION_TABLE_TEXT )
        while ( count > 1 &&
                text_bytes(tables, first, count).used > COLUMN_BYTES_MAX )
            count /= 2;
    return count;
}

static bool define_rows(const struct defined_tables *tables,
                        const struct definer *definer,
                        const struct session_table *table, size_t first,
                        size_t count, struct session_rows *rows,
                        struct section_writer *section)
{
    struct buffer bytes = {NULL, 0, 0};

    rows->count = 0;
    for ( size_t i = first; i < first + count; i++ )
    {
        uint64_t *row = session_rows_add(rows, table);

        if ( !row )
            return false;
        if ( definer->row )
            definer->row(tables, i, row);
        else
            session_row_put(table, table_at(things_of(tables, definer), i),
                            row);
    }
    if ( definer->table == SESSION_TABLE_TEXT )
        bytes = text_bytes(tables, first, count);
    return section_put(section, table, rows->items, count, first + 1, &bytes);
}

static bool define_table(const struct defined_tables *tables,
                         const struct tables_written *written, bool absolute,
                         const struct definer *definer,
                         struct session_rows *rows,
                         struct section_writer *section)
{
    struct session_table table;
    size_t first = written->rows[definer->table];
    bool done = true;

    session_table_find(definer->table, &table);
    if ( absolute && table.kind == TABLE_SMALL )
        first = 0;
    while ( done && first < count_of(tables, definer) )
    {
        size_t count = most_rows(tables, definer, first);

        done = define_rows(tables, definer, &table, first, count, rows,
                           section);
        first += count;
    }
    return done;
}

bool defined_tables_put(const struct defined_tables *tables,
                        const struct tables_written *written, bool absolute,
                        struct section_writer *section)
{
    struct session_rows rows = {NULL, 0, 0};
    bool done = true;

    for ( size_t i = 0; done && i < DEFINERS; i++ )
        done = define_table(tables, written, absolute, &definers[i], &rows,
                            section);
    vector_free(&rows);
    return done;
}

void defined_tables_wrote(const struct defined_tables *tables,
                          struct tables_written *written)
{
    for ( size_t i = 0; i < DEFINERS; i++ )
        written->rows[definers[i].table] = count_of(tables, &definers[i]);
}
