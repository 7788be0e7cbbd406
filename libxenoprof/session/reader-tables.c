/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes what the blocks of a file define and count. */
#include <stdlib.h>
#include <string.h>

#include "format-members.h"
#include "reader-tables.h"

#define NODES_EXPECTED 16u /* whose memory is asked for */

/* Bytes that are cleared in a step. */
#define CLEAR_BYTES 16u

typedef enum column_result take_fn(struct reader_tables *read);

bool reader_tables_init(struct reader_tables *read)
{
    *read = (struct reader_tables){.sound = false};
    read->section.shapes = &read->shape_has;
    read->section.passed = 1u << SESSION_TABLE_TICKS;
    read->section.columns.zstd = ZSTD_createDCtx();
    return read->section.columns.zstd;
}

void reader_tables_begin(struct reader_tables *read)
{
    for ( size_t i = 0; i < read->pieces.count; i++ )
        free(read->pieces.items[i]);
    read->pieces.count = read->texts.count = 0;
    read->text_bytes = 0;
    read->domains.count = read->vcpus.count = read->spaces.count = 0;
    read->symbols.count = read->places.count = read->nodes.count = 0;
    read->lines.count = 0;
    read->rings.count = read->shapes.count = read->shape_has.count = 0;
    read->entries.count = read->threads.count = read->types.count = 0;
    read->idles.count = 0;
    /* Its first block is absolute, if it is there. */
    read->sound = false;
    read->anew = true;
}

void reader_tables_free(struct reader_tables *read)
{
    reader_tables_begin(read);
    section_reader_free(&read->section);
    vector_free(&read->pieces);
    vector_free(&read->texts);
    vector_free(&read->domains);
    vector_free(&read->vcpus);
    vector_free(&read->spaces);
    vector_free(&read->symbols);
    vector_free(&read->places);
    vector_free(&read->lines);
    vector_free(&read->nodes);
    vector_free(&read->rings);
    vector_free(&read->types);
    vector_free(&read->shapes);
    vector_free(&read->shape_has);
    vector_free(&read->entries);
    vector_free(&read->threads);
    vector_free(&read->idles);
    for ( size_t i = 0; i < SESSION_TABLES_MAX; i++ )
        vector_free(&read->rows[i]);
}

void reader_tables_gap(struct reader_tables *read)
{
    read->sound = false;
    read->anew = true;
    for ( size_t i = 0; i < read->rings.count; i++ )
        read->rings.items[i].reported = false;
    for ( size_t i = 0; i < read->idles.count; i++ )
        read->idles.items[i].reported = false;
}

/*
 * Makes room for the rows of the table that was read, at their numbers.  Rows
 * between, which a lost block defined, are all zeroes: unknown.  Returns
 * COLUMN_BAD if they are more than most, or were defined before and are not of
 * a table that absolute blocks say again.
 */
#define MAKE_ROOM(read, things, most)                                          \
    make_numbered_room(&(read)->section, false, &(read)->things.items,         \
                       &(read)->things.count, &(read)->things.room,            \
                       sizeof(*(read)->things.items), (most))
#define MAKE_ROOM_AGAIN(read, things, most)                                    \
    make_numbered_room(&(read)->section, true, &(read)->things.items,          \
                       &(read)->things.count, &(read)->things.room,            \
                       sizeof(*(read)->things.items), (most))

static enum column_result make_numbered_room(struct section_reader *section,
                                             bool again, void *items_at,
                                             size_t *count, size_t *room,
                                             size_t size, size_t most)
{
    size_t end;
    char *items;

    if ( !section->first || (!again && section->first <= *count) ||
         section->first > most || section->count > most - section->first + 1 )
        return COLUMN_BAD;
    end = (size_t)section->first + section->count - 1;
    if ( end <= *count )
        return COLUMN_OK;
    if ( !section_spend(section, (end - *count) * size / CLEAR_BYTES) )
        return COLUMN_BAD;
    if ( !vector_make_room(items_at, *count, room, end - *count, size) )
        return COLUMN_NO_MEMORY;
    memcpy(&items, items_at, sizeof(items));
    memset(items + *count * size, 0, (end - *count) * size);
    *count = end;
    return COLUMN_OK;
}

static enum column_result take_texts(struct reader_tables *read)
{
    const uint64_t *lengths = read->section.values[SESSION_TEXT_LENGTH];
    size_t size = read->section.bytes.used, at = 0;
    size_t first = (size_t)read->section.first - 1;
    enum column_result result;
    char **piece, *to;

    if ( size > READ_TEXT_BYTES_MAX - read->text_bytes )
        return COLUMN_BAD;
    result = MAKE_ROOM(read, texts, FILE_TEXTS_MAX);
    if ( result )
        return result;
    piece = vector_add(&read->pieces);
    if ( !piece )
        return COLUMN_NO_MEMORY;
    /* The bytes of all texts of the table, each with a 0 behind it. */
    to = *piece = malloc(size + read->section.count);
    if ( !to )
        return COLUMN_NO_MEMORY;
    read->text_bytes += size;
    for ( size_t i = 0; i < read->section.count; i++ )
    {
        size_t length = (size_t)lengths[i];

        if ( length > size - at )
            return COLUMN_BAD;
        memcpy(to, read->section.bytes.bytes + at, length);
        to[length] = 0;
        read->texts.items[first + i] = (struct read_text){to, (uint32_t)length};
        at += length;
        to += length + 1;
    }
    return COLUMN_OK;
}

/* A number that is too large for its place is of nothing. */
static uint32_t small(uint64_t number)
{
    return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* An offset from a symbol that is not known leads nowhere. */
static void take_place(struct reader_tables *read, size_t row,
                       struct read_place *place)
{
    uint64_t *const *values = read->section.values;
    const struct defined_symbol *symbol;

    place->space = small(values[SESSION_PLACE_SPACE][row]);
    place->symbol = small(values[SESSION_PLACE_SYMBOL][row]);
    symbol = READ_FIND(read, symbols, place->symbol);
    place->known = true;
    if ( !(values[SESSION_PLACE_HAS][row] & PLACE_HAS_OFFSET) )
        place->address = values[SESSION_PLACE_ADDRESS][row];
    else if ( symbol && symbol->name )
        place->address = symbol->start + values[SESSION_PLACE_OFFSET][row];
    else
        place->known = false;
}

static enum column_result take_places(struct reader_tables *read)
{
    enum column_result result = MAKE_ROOM(read, places, FILE_PLACES_MAX);

    for ( size_t i = 0; !result && i < read->section.count; i++ )
        take_place(read, i, &read->places.items[read->section.first - 1 + i]);
    return result;
}

/* Asks for the parent of a node that comes soon: it is anywhere in the table,
 * if it is in it at all. */
static inline void expect_parent(const struct reader_tables *read,
                                 uint64_t parent)
{
    if ( parent && parent <= read->nodes.count )
        memory_expect(&read->nodes.items[parent - 1]);
}

/* A parent comes before its children, so there is no circle.  Returns 0 if the
 * node would be too deep. */
static inline uint16_t depth_below(const struct read_node *nodes,
                                   uint64_t parent)
{
    uint16_t depth = parent ? nodes[parent - 1].depth : 0;

    if ( !parent )
        return 1;
    if ( depth >= READ_DEPTH_MAX )
        return 0;
    /* What is not known is one frame, too. */
    return depth ? depth + 1 : 2;
}

static enum column_result take_nodes(struct reader_tables *read)
{
    enum column_result result = MAKE_ROOM(read, nodes, FILE_NODES_MAX);
    const uint64_t *parents = read->section.values[SESSION_NODE_PARENT];
    const uint64_t *places = read->section.values[SESSION_NODE_PLACE];
    const size_t count = read->section.count,
                 first = (size_t)read->section.first;
    struct read_node *nodes = read->nodes.items;

    for ( size_t i = 0; !result && i < count; i++ )
    {
        uint16_t depth = parents[i] < first + i ? depth_below(nodes, parents[i])
                                                : 0;

        if ( i + NODES_EXPECTED < count )
            expect_parent(read, parents[i + NODES_EXPECTED]);

        if ( !depth )
            return COLUMN_BAD;
        nodes[first - 1 + i] = (struct read_node){
            .parent = (uint32_t)parents[i],
            .place = small(places[i]),
            .depth = depth,
        };
    }
    return result;
}

/* Rows that count from here on are copied. */
static enum column_result copy_read_rows(struct reader_tables *read)
{
    const size_t width = read->section.table.count, count = read->section.count;
    struct session_rows *to = &read->rows[read->section.table.number];
    uint64_t *rows;

    if ( to->count > READ_KEPT_MAX )
        return COLUMN_BAD;
    if ( !vector_reserve(to, width * count) )
        return COLUMN_NO_MEMORY;
    rows = to->items + to->count;
    for ( size_t j = 0; j < width; j++ )
        for ( size_t i = 0; i < count; i++ )
            rows[i * width + j] = read->section.values[j][i];
    to->count += width * count;
    return COLUMN_OK;
}

static enum column_result take_named(struct reader_tables *read)
{
    uint64_t *const *values = read->section.values;

    for ( size_t i = 0; i < read->section.count; i++ )
    {
        uint64_t number = values[SESSION_NAMED_PLACE][i];
        struct read_place *place = READ_FIND(read, places, number);

        if ( place )
            place->symbol = small(values[SESSION_NAMED_SYMBOL][i]);
    }
    return copy_read_rows(read);
}

/* What is not a line is none; of some of one place the last counts. */
static enum column_result take_lines(struct reader_tables *read)
{
    uint64_t *const *values = read->section.values;

    for ( size_t i = 0; i < read->section.count; i++ )
    {
        const uint64_t line = values[SESSION_LINE_LINE][i];
        struct read_place *place = READ_FIND(read, places,
                                             values[SESSION_LINE_PLACE][i]);

        if ( !place || !line || line > INT32_MAX )
            continue;
        if ( !place->line && !vector_add(&read->lines) )
            return COLUMN_NO_MEMORY;
        if ( !place->line )
            place->line = (uint32_t)read->lines.count;
        read->lines.items[place->line - 1] = (struct read_line){
            .path = small(values[SESSION_LINE_PATH][i]),
            .line = (uint32_t)line};
    }
    return copy_read_rows(read);
}

/* Differences become what they lead to. */
static void add_differences(struct read_ring *ring, uint64_t *row)
{
    uint64_t *reported = ring->ring.reported;

    for ( size_t i = 0; i < SESSION_ACCOUNT_VALUES; i++ )
        row[SESSION_ACCOUNT_POSITION + i] = reported[i] +=
            row[SESSION_ACCOUNT_POSITION + i];
}

static enum column_result take_accounts(struct reader_tables *read)
{
    const size_t width = read->section.table.count;
    struct session_rows *accounts = &read->rows[SESSION_TABLE_ACCOUNT];
    size_t kept = accounts->count;
    enum column_result result = copy_read_rows(read);

    for ( size_t at = kept; !result && at < accounts->count; at += width )
    {
        uint64_t *row = accounts->items + at;
        struct read_ring *ring = READ_FIND(read, rings,
                                           row[SESSION_ACCOUNT_RING]);

        if ( !ring || !ring->known )
            continue;
        if ( read->sound && !ring->reported )
        {
            memset(ring->ring.reported, 0, sizeof(ring->ring.reported));
            ring->reported = true;
        }
        if ( !ring->reported )
            continue;
        add_differences(ring, row);
        if ( kept < at )
            memcpy(accounts->items + kept, row, width * sizeof(*row));
        kept += width;
    }
    accounts->count = kept;
    return result;
}

/* What was said of a pCPU; NULL: no memory. */
static struct read_idle *idle_of(struct reader_tables *read, uint16_t pcpu)
{
    while ( read->idles.count <= pcpu )
        if ( !vector_add(&read->idles) )
            return NULL;
    return &read->idles.items[pcpu];
}

static enum column_result take_idle(struct reader_tables *read)
{
    const size_t width = read->section.table.count;
    struct session_rows *rows = &read->rows[SESSION_TABLE_IDLE];
    size_t kept = rows->count;
    enum column_result result = copy_read_rows(read);

    for ( size_t at = kept; !result && at < rows->count; at += width )
    {
        uint64_t *row = rows->items + at;
        struct read_idle *idle = idle_of(read,
                                         (uint16_t)row[SESSION_IDLE_PCPU]);

        if ( !idle )
            return COLUMN_NO_MEMORY;
        if ( read->sound && !idle->reported )
        {
            idle->idle = 0;
            idle->reported = true;
        }
        if ( !idle->reported )
            continue;
        row[SESSION_IDLE_IDLE] = idle->idle += row[SESSION_IDLE_IDLE];
        memmove(rows->items + kept, row, width * sizeof(*row));
        kept += width;
    }
    rows->count = kept;
    return result;
}

static void finish_domain(const struct section_reader *section, size_t row,
                          void *item)
{
    (void)section;
    (void)row;
    ((struct defined_domain *)item)->known = true;
}

static void finish_shape(const struct section_reader *section, size_t row,
                         void *item)
{
    (void)section;
    (void)row;
    ((struct defined_shape *)item)->known = true;
}

static void finish_ring(const struct section_reader *section, size_t row,
                        void *item)
{
    struct read_ring *ring = item;

    (void)section;
    (void)row;
    ring->known = ring->reported = true;
    memset(ring->ring.reported, 0, sizeof(ring->ring.reported));
}

/* A type that is none of ours is not known. */
static void finish_type(const struct section_reader *section, size_t row,
                        void *item)
{
    ((struct defined_type *)item)->known =
        section->values[SESSION_TYPE_NUMBER][row] < XENOPROF_TYPES_MAX;
}

/* Of a kind that is not known nothing is said. */
static void finish_entry(const struct section_reader *section, size_t row,
                         void *item)
{
    struct xenoprof_entry *entry = item;

    if ( section->values[SESSION_ENTRY_KIND][row] >= XENOPROF_ENTRY_KINDS )
        entry->kind = XENOPROF_ENTRY_NONE;
    entry->flags &= XENOPROF_ENTRY_FLAGS;
}

/* Whatever the file says, a name ends, and has nothing behind its end. */
static void finish_thread(const struct section_reader *section, size_t row,
                          void *item)
{
    struct xenoprof_thread *thread = item;
    char *comm = thread->comm;

    (void)section;
    (void)row;
    comm[15] = 0;
    memset(comm + strlen(comm), 0, 16 - strlen(comm));
}

/* Tables whose rows are taken as their columns say. */
static const struct numbered {
    size_t items, count, room; /* where in what is read its vector has these */
    size_t size;               /* of an item */
    size_t at;                 /* where in it the members are */
    size_t most;
    void (*finish)(const struct section_reader *section, size_t row,
                   void *item);
} numbered[SESSION_TABLES_MAX] = {
#define ITEMS(things, at, most, finish)                                        \
    {                                                                          \
        offsetof(struct reader_tables, things.items),                          \
            offsetof(struct reader_tables, things.count),                      \
            offsetof(struct reader_tables, things.room),                       \
            sizeof(*((struct reader_tables *)0)->things.items), at, most,      \
            finish                                                             \
    }
    [SESSION_TABLE_DOMAIN] = ITEMS(domains, 0, READ_ROWS_MAX, finish_domain),
    [SESSION_TABLE_VCPU] = ITEMS(vcpus, 0, READ_ROWS_MAX, NULL),
    [SESSION_TABLE_SPACE] = ITEMS(spaces, 0, READ_ROWS_MAX, NULL),
    [SESSION_TABLE_SYMBOL] = ITEMS(symbols, 0, READ_ROWS_MAX, NULL),
    [SESSION_TABLE_RING] = ITEMS(rings, offsetof(struct read_ring, ring),
                                 READ_ROWS_MAX, finish_ring),
    [SESSION_TABLE_TYPE] = ITEMS(types, 0, XENOPROF_TYPES_MAX, finish_type),
    [SESSION_TABLE_SHAPE] = ITEMS(shapes, 0, READ_ROWS_MAX, finish_shape),
    [SESSION_TABLE_ENTRY] = ITEMS(entries, 0, READ_ROWS_MAX, finish_entry),
    [SESSION_TABLE_THREAD] = ITEMS(threads, 0, FILE_THREADS_MAX, finish_thread),
};

static enum column_result take_numbered(struct reader_tables *read,
                                        const struct numbered *table)
{
    struct section_reader *section = &read->section;
    char *items_at = (char *)read + table->items, *first;
    size_t *count = (void *)((char *)read + table->count);
    size_t *room = (void *)((char *)read + table->room);
    enum column_result result = make_numbered_room(
        section, section->table.kind == TABLE_SMALL, items_at, count, room,
        table->size, table->most);

    if ( result )
        return result;
    memcpy(&first, items_at, sizeof(first));
    first += (size_t)(section->first - 1) * table->size;
    session_rows_take(&section->table, section->values, section->count,
                      first + table->at, table->size);
    for ( size_t i = 0; table->finish && i < section->count; i++ )
        table->finish(section, i, first + i * table->size);
    return COLUMN_OK;
}

/* What a shape's samples have also stands by itself, for section_next(). */
static enum column_result take_shapes(struct reader_tables *read)
{
    const struct section_reader *section = &read->section;
    enum column_result result = take_numbered(read,
                                              &numbered[SESSION_TABLE_SHAPE]);

    if ( !result )
        result = MAKE_ROOM_AGAIN(read, shape_has, READ_ROWS_MAX);
    for ( size_t i = 0; !result && i < section->count; i++ )
        read->shape_has.items[section->first - 1 + i] =
            section->values[SESSION_SHAPE_HAS][i];
    return result;
}

/* What takes rows that are more than numbers which the items repeat. */
static take_fn *const takers[SESSION_TABLES_MAX] = {
    [SESSION_TABLE_TEXT] = take_texts,
    [SESSION_TABLE_PLACE] = take_places,
    [SESSION_TABLE_NAMED] = take_named,
    [SESSION_TABLE_LINE] = take_lines,
    [SESSION_TABLE_NODE] = take_nodes,
    [SESSION_TABLE_SHAPE] = take_shapes,
    [SESSION_TABLE_ACCOUNT] = take_accounts,
    [SESSION_TABLE_IDLE] = take_idle,
};

/* Takes the table that was read. */
static enum column_result take_read_table(struct reader_tables *read)
{
    const uint32_t number = read->section.table.number;

    if ( number == SESSION_TABLE_ABOUT || number == SESSION_TABLE_SAMPLE )
        return COLUMN_OK;
    if ( takers[number] )
        return takers[number](read);
    return numbered[number].size ? take_numbered(read, &numbered[number])
                                 : copy_read_rows(read);
}

enum column_result reader_take_tables(struct reader_tables *read,
                                      struct cursor section, bool absolute)
{
    const bool anew = read->anew;
    enum column_result result;
    bool end = false;

    for ( size_t i = 0; i < SESSION_TABLES_MAX; i++ )
        read->rows[i].count = 0;
    /* Differences of an absolute block are those to 0. */
    if ( absolute )
    {
        reader_tables_gap(read);
        read->sound = true;
        read->anew = anew;
    }
    do
    {
        result = section_next(&read->section, &section, &end);
        if ( !result && !end )
            result = take_read_table(read);
    } while ( !result && !end );
    return result;
}

enum column_result reader_take_samples(struct reader_tables *read,
                                       struct cursor section)
{
    enum column_result result;
    bool end = false;

    do
        result = section_next(&read->section, &section, &end);
    while ( !result && !end &&
            read->section.table.number != SESSION_TABLE_SAMPLE );
    if ( end )
        read->section.count = 0;
    return result;
}

enum column_result reader_take_later(struct reader_tables *read,
                                     struct cursor section)
{
    enum column_result result;
    bool end = false;

    for ( ;; )
    {
        uint32_t number;

        result = section_next(&read->section, &section, &end);
        if ( result || end )
            return result;
        number = read->section.table.number;
        if ( number == SESSION_TABLE_DOMAIN || number == SESSION_TABLE_VCPU ||
             number == SESSION_TABLE_SPACE || number == SESSION_TABLE_SHAPE ||
             number == SESSION_TABLE_ENTRY || number == SESSION_TABLE_TYPE )
            result = take_read_table(read);
        if ( result )
            return result;
    }
}

enum column_result reader_take_shapes(struct reader_tables *read,
                                      struct cursor section)
{
    enum column_result result;
    bool end = false;

    for ( ;; )
    {
        result = section_find(&read->section, &section, SESSION_TABLE_SHAPE,
                              &end);
        if ( result || end )
            return result;
        result = take_shapes(read);
        if ( result )
            return result;
    }
}
