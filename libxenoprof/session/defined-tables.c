/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and numbers what a file defines. */
#include <string.h>

#include "defined-tables.h"

#define TABLE_OF(table, type)                                                  \
    table_init(table, sizeof(struct type), sizeof(struct type))
/* Whose key is what is before this member. */
#define TABLE_BEFORE(table, type, member)                                      \
    table_init(table, offsetof(struct type, member), sizeof(struct type))

void defined_tables_init(struct defined_tables *tables)
{
    *tables = (struct defined_tables){.texts_max = FILE_TEXTS_MAX,
                                      .places_max = FILE_PLACES_MAX,
                                      .nodes_max = FILE_NODES_MAX};
    id_table_init(&tables->text_ids);
    TABLE_OF(&tables->domains, defined_domain);
    TABLE_OF(&tables->vcpus, defined_vcpu);
    TABLE_OF(&tables->spaces, defined_space);
    TABLE_OF(&tables->symbols, defined_symbol);
    TABLE_BEFORE(&tables->places, defined_place, symbol);
    TABLE_BEFORE(&tables->nodes, defined_node, number);
    TABLE_BEFORE(&tables->rings, defined_ring, uuid);
    TABLE_BEFORE(&tables->types, defined_type, name);
    TABLE_OF(&tables->shapes, defined_shape);
    TABLE_OF(&tables->entries, xenoprof_entry);
    TABLE_BEFORE(&tables->details, defined_details, count);
    TABLE_OF(&tables->threads, xenoprof_thread);
}

void defined_tables_free(struct defined_tables *tables)
{
    buffer_free(&tables->text_bytes);
    vector_free(&tables->texts);
    id_table_deinit(&tables->text_ids);
    table_free(&tables->domains);
    table_free(&tables->vcpus);
    table_free(&tables->spaces);
    table_free(&tables->symbols);
    table_free(&tables->places);
    table_free(&tables->nodes);
    table_free(&tables->rings);
    table_free(&tables->types);
    table_free(&tables->shapes);
    table_free(&tables->entries);
    table_free(&tables->details);
    table_free(&tables->threads);
    vector_free(&tables->shape_has);
    vector_free(&tables->numbered);
    vector_free(&tables->numbered_places);
    vector_free(&tables->place_numbers);
}

void defined_tables_clear(struct defined_tables *tables)
{
    defined_tables_free(tables);
    defined_tables_init(tables);
}

static size_t ids_bytes(const struct id_table *ids)
{
    return ids->slots ? (ids->mask + 1) * sizeof(*ids->slots) : 0;
}

static size_t table_bytes(const struct table *table)
{
    return table->count * table->entry_size + ids_bytes(&table->ids);
}

size_t defined_tables_bytes(const struct defined_tables *tables)
{
    return tables->text_bytes.used +
           tables->texts.count * sizeof(*tables->texts.items) +
           ids_bytes(&tables->text_ids) + table_bytes(&tables->domains) +
           table_bytes(&tables->vcpus) + table_bytes(&tables->spaces) +
           table_bytes(&tables->symbols) + table_bytes(&tables->places) +
           table_bytes(&tables->nodes) + table_bytes(&tables->rings) +
           table_bytes(&tables->shapes) + table_bytes(&tables->entries) +
           table_bytes(&tables->details) + table_bytes(&tables->threads) +
           tables->numbered.count * sizeof(*tables->numbered.items) +
           tables->numbered_places.count *
               sizeof(*tables->numbered_places.items) +
           tables->place_numbers.count * sizeof(*tables->place_numbers.items);
}

/* Beside an entry there are so many numbers in rows of their own. */
static size_t takes(const struct table *table, size_t more, size_t numbers)
{
    return table_room_for(table, more) *
               (table->entry_size + numbers * sizeof(uint32_t)) +
           id_table_takes(&table->ids, more);
}

size_t defined_tables_take(const struct defined_tables *tables, size_t places,
                           size_t nodes)
{
    return tables->text_bytes.room +
           tables->texts.room * sizeof(*tables->texts.items) +
           id_table_takes(&tables->text_ids, 0) +
           takes(&tables->domains, 0, 0) + takes(&tables->vcpus, 0, 0) +
           takes(&tables->spaces, 0, 0) + takes(&tables->symbols, 0, 0) +
           takes(&tables->places, places, 2) + takes(&tables->nodes, nodes, 1) +
           takes(&tables->rings, 0, 0) + takes(&tables->shapes, 0, 0) +
           takes(&tables->entries, 0, 0) + takes(&tables->details, 0, 0) +
           takes(&tables->threads, 0, 0);
}

static uint32_t find_text(const struct defined_tables *tables, uint32_t hash,
                          const void *bytes, size_t size)
{
    const struct id_slot *slot = id_first(&tables->text_ids, hash);

    for ( ; slot->id; slot = id_after(&tables->text_ids, slot) )
    {
        const struct defined_text *text = &tables->texts.items[slot->id - 1];

        if ( slot->hash == hash && text->size == size &&
             (!size ||
              !memcmp(tables->text_bytes.bytes + text->at, bytes, size)) )
            return slot->id;
    }
    return 0;
}

uint32_t define_text(struct defined_tables *tables, const void *bytes,
                     size_t size)
{
    uint32_t hash = (uint32_t)hash_bytes(tables->text_ids.seed, bytes, size);
    uint32_t number = find_text(tables, hash, bytes, size);
    struct defined_text *text;

    if ( number )
        return number;
    number = (uint32_t)tables->texts.count + 1;
    if ( number > tables->texts_max || !vector_reserve(&tables->texts, 1) ||
         !buffer_append(&tables->text_bytes, bytes, size) )
        return 0;
    if ( !id_table_add(&tables->text_ids, hash, number) )
    {
        tables->text_bytes.used -= size;
        return 0;
    }
    text = vector_add(&tables->texts);
    text->at = tables->text_bytes.used - size;
    text->size = (uint32_t)size;
    return number;
}

static uint32_t entry_number(const struct table *table, const void *entry)
{
    return entry ? (uint32_t)table_index(table, entry) + 1 : 0;
}

static uint32_t put_numbered(struct table *table, const void *key)
{
    return entry_number(table, table_put(table, key));
}

uint32_t define_domain(struct defined_tables *tables, uint16_t number,
                       const uint64_t uuid[2], uint32_t kind)
{
    const struct defined_domain domain = {
        .uuid = {uuid[0], uuid[1]}, .kind = kind, .number = number};

    return put_numbered(&tables->domains, &domain);
}

uint32_t define_vcpu(struct defined_tables *tables, uint32_t domain,
                     uint16_t number)
{
    const struct defined_vcpu vcpu = {.domain = domain, .number = number};

    return entry_number(
        &tables->vcpus,
        table_put_last(&tables->vcpus, &tables->last_vcpu, &vcpu));
}

uint32_t define_space(struct defined_tables *tables, uint32_t domain,
                      uint8_t mode)
{
    const struct defined_space space = {.domain = domain, .mode = mode};

    return put_numbered(&tables->spaces, &space);
}

uint32_t defined_find_space(const struct defined_tables *tables,
                            uint32_t domain, uint8_t mode)
{
    const struct defined_space space = {.domain = domain, .mode = mode};

    return entry_number(&tables->spaces, table_find(&tables->spaces, &space));
}

uint32_t define_symbol(struct defined_tables *tables, uint32_t image,
                       uint32_t name, uint64_t start)
{
    const struct defined_symbol symbol = {start, image, name};

    return put_numbered(&tables->symbols, &symbol);
}

const struct defined_place *defined_place_at(
    const struct defined_tables *tables, uint32_t row)
{
    return table_at(&tables->places, row - 1);
}

bool defined_is_named(const struct defined_tables *tables,
                      const struct defined_place *place)
{
    const struct defined_symbol *symbol;

    if ( !place->symbol )
        return false;
    symbol = table_at(&tables->symbols, place->symbol - 1);
    return symbol->name;
}

/* The last one with this address, or NULL. */
static struct defined_place *find_last_place(
    const struct defined_tables *tables, uint32_t space, uint64_t address)
{
    struct defined_place key = {.key = {address, space, 0}};
    struct defined_place *first = table_find(&tables->places, &key.key);

    if ( !first || !first->turns )
        return first;
    key.key.turn = first->turns;
    return table_find(&tables->places, &key.key);
}

void defined_expect_place(const struct defined_tables *tables, uint32_t space,
                          uint64_t address)
{
    const struct defined_place key = {.key = {address, space, 0}};

    table_expect(&tables->places, &key.key);
}

uint32_t defined_find_place(const struct defined_tables *tables, uint32_t space,
                            uint64_t address)
{
    return entry_number(&tables->places,
                        find_last_place(tables, space, address));
}

static uint32_t add_place(struct defined_tables *tables, uint32_t space,
                          uint64_t address, uint32_t turn, uint32_t symbol)
{
    const struct defined_place first = {.key = {address, space, 0}};
    const struct defined_place key = {.key = {address, space, turn}};
    struct defined_place *place;

    if ( tables->places.count >= tables->places_max )
        return 0;
    place = table_put(&tables->places, &key.key);
    if ( !place )
        return 0;
    place->symbol = symbol;
    if ( turn )
        ((struct defined_place *)table_find(&tables->places, &first.key))
            ->turns = turn;
    return entry_number(&tables->places, place);
}

/* An address of user code is of many processes: a name that comes later is of
 * another one. */
static bool is_of_processes(const struct defined_tables *tables, uint32_t space)
{
    const struct defined_space *at = table_at(&tables->spaces, space - 1);

    return at->mode == XENOPROF_MODE_USER;
}

uint32_t define_place(struct defined_tables *tables, uint32_t space,
                      uint64_t address, uint32_t symbol, bool *named)
{
    struct defined_place *known = find_last_place(tables, space, address);
    const struct defined_place unknown = {.symbol = symbol};

    *named = false;
    if ( !known )
        return add_place(tables, space, address, 0, symbol);
    if ( known->symbol == symbol )
        return entry_number(&tables->places, known);
    if ( is_of_processes(tables, space) || defined_is_named(tables, known) ||
         !defined_is_named(tables, &unknown) )
        return add_place(tables, space, address, known->key.turn + 1, symbol);
    known->symbol = symbol;
    *named = true;
    return entry_number(&tables->places, known);
}

uint32_t define_type(struct defined_tables *tables,
                     const struct defined_type *type)
{
    struct defined_type *put = table_put(&tables->types, type);

    if ( !put )
        return 0;
    *put = *type;
    return entry_number(&tables->types, put);
}

uint32_t define_shape(struct defined_tables *tables,
                      const struct defined_shape *shape)
{
    uint32_t number = entry_number(
        &tables->shapes,
        table_put_last(&tables->shapes, &tables->last_shape, shape));

    if ( number <= tables->shape_has.count )
        return number;
    if ( !vector_reserve(&tables->shape_has, 1) )
        return 0;
    tables->shape_has.items[tables->shape_has.count++] = shape->has;
    return number;
}

/* Whether the guest may bring in one more detail; it does then. */
static bool may_have_detail(struct defined_tables *tables,
                            const uint64_t uuid[2])
{
    const struct defined_details key = {{{uuid[0], uuid[1]}}, 0, 0, 0};
    struct defined_details *details = table_put(&tables->details, &key.key);

    if ( details && tables->copied )
        return true;
    return details && details->count < FILE_DETAILS_MAX && ++details->count;
}

uint32_t define_entry(struct defined_tables *tables, const uint64_t uuid[2],
                      const struct xenoprof_entry *entry)
{
    struct xenoprof_entry key = {.detail = entry->detail,
                                 .code = entry->code,
                                 .kind = entry->kind,
                                 .flags = entry->flags};

    if ( key.detail && !table_find(&tables->entries, &key) &&
         !may_have_detail(tables, uuid) )
    {
        key.detail = 0;
        key.flags |= XENOPROF_ENTRY_BARE;
    }
    if ( tables->entries.count >= FILE_ENTRIES_MAX )
        return entry_number(&tables->entries,
                            table_find(&tables->entries, &key));
    return put_numbered(&tables->entries, &key);
}

/* Whether the guest may bring in one more thread; it does then.  One is left
 * for XENOPROF_THREAD_MANY. */
static bool may_have_thread(struct defined_tables *tables,
                            const uint64_t uuid[2])
{
    const struct defined_details key = {{{uuid[0], uuid[1]}}, 0, 0, 0};
    struct defined_details *details = table_put(&tables->details, &key.key);

    if ( details && tables->copied )
        return tables->threads.count < FILE_THREADS_MAX - 1;
    return details && tables->threads.count < FILE_THREADS_MAX - 1 &&
           details->threads < FILE_THREADS_GUEST_MAX && ++details->threads;
}

uint32_t define_thread(struct defined_tables *tables, const uint64_t uuid[2],
                       const struct xenoprof_thread *thread)
{
    static const struct xenoprof_thread many = {.comm = XENOPROF_THREAD_MANY};
    const struct xenoprof_thread *known = table_find(&tables->threads, thread);

    if ( known )
        return entry_number(&tables->threads, known);
    return put_numbered(&tables->threads,
                        may_have_thread(tables, uuid) ? thread : &many);
}

/* A text that is there already costs nothing. */
uint32_t define_origin_text(struct defined_tables *tables,
                            const uint64_t uuid[2], const char *text)
{
    const struct defined_details key = {{{uuid[0], uuid[1]}}, 0, 0, 0};
    struct defined_details *details = table_put(&tables->details, &key.key);
    uint32_t size = (uint32_t)strlen(text), number;
    size_t before = tables->texts.count;

    if ( details && tables->copied )
        return define_text(tables, text, size);
    if ( !details || details->origin_bytes + size > FILE_ORIGIN_BYTES_MAX )
        return 0;
    number = define_text(tables, text, size);
    if ( tables->texts.count > before )
        details->origin_bytes += size;
    return number;
}
