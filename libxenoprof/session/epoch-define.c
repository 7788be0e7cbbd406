/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file defines, as rows of a block. */
#include "epoch-tables.h"

typedef void row_fn(const struct epoch_tables *tables, size_t index,
                    uint64_t *row);

static void text_row(const struct epoch_tables *tables, size_t index,
                     uint64_t *row)
{
    row[EPOCH_TEXT_LENGTH] = tables->texts.items[index].size;
}

static void domain_row(const struct epoch_tables *tables, size_t index,
                       uint64_t *row)
{
    const struct epoch_domain *domain = table_at(&tables->domains, index);

    row[EPOCH_DOMAIN_NUMBER] = domain->key.number;
    row[EPOCH_DOMAIN_UUID] = domain->key.uuid[0];
    row[EPOCH_DOMAIN_UUID_2] = domain->key.uuid[1];
    row[EPOCH_DOMAIN_KIND] = domain->key.kind;
}

static void vcpu_row(const struct epoch_tables *tables, size_t index,
                     uint64_t *row)
{
    const struct epoch_vcpu *vcpu = table_at(&tables->vcpus, index);

    row[EPOCH_VCPU_DOMAIN] = vcpu->key.domain;
    row[EPOCH_VCPU_NUMBER] = vcpu->key.number;
}

static void space_row(const struct epoch_tables *tables, size_t index,
                      uint64_t *row)
{
    const struct epoch_space *space = table_at(&tables->spaces, index);

    row[EPOCH_SPACE_DOMAIN] = space->key.domain;
    row[EPOCH_SPACE_MODE] = space->key.mode;
}

static void symbol_row(const struct epoch_tables *tables, size_t index,
                       uint64_t *row)
{
    const struct epoch_symbol *symbol = table_at(&tables->symbols, index);

    row[EPOCH_SYMBOL_IMAGE] = symbol->key.image;
    row[EPOCH_SYMBOL_NAME] = symbol->key.name;
    row[EPOCH_SYMBOL_START] = symbol->key.start;
}

/* Addresses within a function differ in their low bytes only. */
static void place_row(const struct epoch_tables *tables, size_t index,
                      uint64_t *row)
{
    const struct epoch_place *place = epoch_place_at(
        tables, tables->numbered_places.items[index]);
    const struct epoch_symbol *symbol;

    row[EPOCH_PLACE_SPACE] = place->key.space;
    row[EPOCH_PLACE_SYMBOL] = place->symbol;
    if ( epoch_is_named(tables, place) )
    {
        symbol = table_at(&tables->symbols, place->symbol - 1);
        row[EPOCH_PLACE_HAS] = PLACE_HAS_OFFSET;
        row[EPOCH_PLACE_OFFSET] = place->key.address - symbol->key.start;
    }
    else
    {
        row[EPOCH_PLACE_HAS] = PLACE_HAS_ADDRESS;
        row[EPOCH_PLACE_ADDRESS] = place->key.address;
    }
}

static void node_row(const struct epoch_tables *tables, size_t index,
                     uint64_t *row)
{
    uint32_t at = tables->numbered.items[index];
    const struct epoch_node *node = table_at(&tables->nodes, at - 1);

    row[EPOCH_NODE_PARENT] = epoch_node_number(tables, node->key.parent);
    row[EPOCH_NODE_PLACE] = epoch_place_number(tables, node->key.place);
}

static void type_row(const struct epoch_tables *tables, size_t index,
                     uint64_t *row)
{
    const struct epoch_type *type = table_at(&tables->types, index);

    row[EPOCH_TYPE_NAME] = type->name;
    row[EPOCH_TYPE_UNIT] = type->unit;
    row[EPOCH_TYPE_NUMBER] = type->key.number;
    row[EPOCH_TYPE_SELECT] = type->select;
    row[EPOCH_TYPE_PERIOD] = type->period;
    row[EPOCH_TYPE_TURNS] = type->turns;
}

static void shape_row(const struct epoch_tables *tables, size_t index,
                      uint64_t *row)
{
    const struct epoch_shape *shape = table_at(&tables->shapes, index);

    row[EPOCH_SHAPE_HAS] = shape->key.has;
    row[EPOCH_SHAPE_MARKS] = shape->key.marks;
    row[EPOCH_SHAPE_WEIGHT] = shape->key.weight;
    row[EPOCH_SHAPE_PERIOD] = shape->key.period;
    row[EPOCH_SHAPE_TYPE] = shape->key.type;
    row[EPOCH_SHAPE_ENTRY] = shape->key.entry;
}

static void entry_row(const struct epoch_tables *tables, size_t index,
                      uint64_t *row)
{
    const struct epoch_entry *entry = table_at(&tables->entries, index);

    row[EPOCH_ENTRY_KIND] = entry->key.kind;
    row[EPOCH_ENTRY_FLAGS] = entry->key.flags;
    row[EPOCH_ENTRY_CODE] = entry->key.code;
    row[EPOCH_ENTRY_DETAIL] = entry->key.detail;
}

static void thread_row(const struct epoch_tables *tables, size_t index,
                       uint64_t *row)
{
    const struct epoch_thread *thread = table_at(&tables->threads, index);

    row[EPOCH_THREAD_PID] = thread->key.pid;
    row[EPOCH_THREAD_TID] = thread->key.tid;
    row[EPOCH_THREAD_START] = thread->key.start;
    memcpy(&row[EPOCH_THREAD_COMM], thread->key.comm, 8);
    memcpy(&row[EPOCH_THREAD_COMM_2], thread->key.comm + 8, 8);
}

static void ring_row(const struct epoch_tables *tables, size_t index,
                     uint64_t *row)
{
    const struct epoch_ring *ring = table_at(&tables->rings, index);

    row[EPOCH_RING_RING] = ring->key.ring;
    row[EPOCH_RING_GENERATION] = ring->key.generation;
    row[EPOCH_RING_DOMAIN] = ring->domain;
    row[EPOCH_RING_VCPU] = ring->vcpu;
    row[EPOCH_RING_KIND] = ring->kind;
    row[EPOCH_RING_UUID] = ring->uuid;
    row[EPOCH_RING_SIZE] = ring->size;
}

static const struct definer {
    uint32_t table;
    size_t counted; /* where in the tables its count is */
    row_fn *row;
    bool small; /* absolute blocks say all of it again */
} definers[] = {
    {EPOCH_TEXT, offsetof(struct epoch_tables, texts.count), text_row, false},
    {EPOCH_DOMAIN, offsetof(struct epoch_tables, domains.count), domain_row,
     true},
    {EPOCH_VCPU, offsetof(struct epoch_tables, vcpus.count), vcpu_row, true},
    {EPOCH_SPACE, offsetof(struct epoch_tables, spaces.count), space_row, true},
    {EPOCH_SYMBOL, offsetof(struct epoch_tables, symbols.count), symbol_row,
     false},
    {EPOCH_PLACE, offsetof(struct epoch_tables, numbered_places.count),
     place_row, false},
    {EPOCH_NODE, offsetof(struct epoch_tables, numbered.count), node_row,
     false},
    {EPOCH_TYPE, offsetof(struct epoch_tables, types.count), type_row, true},
    {EPOCH_ENTRY, offsetof(struct epoch_tables, entries.count), entry_row,
     true},
    {EPOCH_THREAD, offsetof(struct epoch_tables, threads.count), thread_row,
     false},
    {EPOCH_SHAPE, offsetof(struct epoch_tables, shapes.count), shape_row, true},
    {EPOCH_RING, offsetof(struct epoch_tables, rings.count), ring_row, true},
};

#define DEFINERS (sizeof(definers) / sizeof(definers[0]))

static size_t count_of(const struct epoch_tables *tables,
                       const struct definer *definer)
{
    return *(const size_t *)((const char *)tables + definer->counted);
}

static struct buffer text_bytes(const struct epoch_tables *tables, size_t first,
                                size_t count)
{
    const struct epoch_text *text = &tables->texts.items[first];
    const struct epoch_text *last = &text[count - 1];
    size_t size = last->at + last->size - text->at;

    return (struct buffer){tables->text_bytes.bytes + text->at, size, size};
}

/* Returns how many rows from first on fit into a table of a block. */
static size_t most_rows(const struct epoch_tables *tables,
                        const struct definer *definer, size_t first)
{
    size_t count = count_of(tables, definer) - first;

    /* A table each for nodes at known places and at new ones. */
    for ( size_t i = 0; definer->table == EPOCH_NODE && i < EPOCH_TURNS; i++ )
        if ( tables->turn_ends[i] > first &&
             tables->turn_ends[i] - first < count )
            count = tables->turn_ends[i] - first;
    if ( count > COLUMN_ROWS_MAX )
        count = COLUMN_ROWS_MAX;
    if ( definer->table == EPOCH_TEXT )
        while ( count > 1 &&
                text_bytes(tables, first, count).used > COLUMN_BYTES_MAX )
            count /= 2;
    return count;
}

static bool put_rows(const struct epoch_tables *tables,
                     const struct definer *definer, size_t first, size_t count,
                     struct epoch_rows *rows, struct part_writer *part)
{
    struct buffer bytes = {NULL, 0, 0};
    struct epoch_table table;

    epoch_table_find(definer->table, &table);
    rows->count = 0;
    for ( size_t i = first; i < first + count; i++ )
    {
        uint64_t *row = epoch_rows_add(rows, &table);

        if ( !row )
            return false;
        definer->row(tables, i, row);
    }
    if ( definer->table == EPOCH_TEXT )
        bytes = text_bytes(tables, first, count);
    return part_put(part, &table, rows->items, count, first + 1, &bytes);
}

static bool put_table(const struct epoch_tables *tables,
                      const struct definer *definer, size_t first,
                      struct epoch_rows *rows, struct part_writer *part)
{
    bool done = true;

    while ( done && first < count_of(tables, definer) )
    {
        size_t count = most_rows(tables, definer, first);

        done = put_rows(tables, definer, first, count, rows, part);
        first += count;
    }
    return done;
}

bool epoch_tables_put(const struct epoch_tables *tables,
                      const struct epoch_written *written, bool absolute,
                      struct part_writer *part)
{
    struct epoch_rows rows = {NULL, 0, 0};
    bool done = true;

    for ( size_t i = 0; done && i < DEFINERS; i++ )
        done = put_table(tables, &definers[i],
                         absolute && definers[i].small
                             ? 0
                             : written->rows[definers[i].table],
                         &rows, part);
    vector_free(&rows);
    return done;
}

void epoch_tables_wrote(const struct epoch_tables *tables,
                        struct epoch_written *written)
{
    for ( size_t i = 0; i < DEFINERS; i++ )
        written->rows[definers[i].table] = count_of(tables, &definers[i]);
}
