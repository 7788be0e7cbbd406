/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types, places and samples. */
#include <stdlib.h>
#include <string.h>

#include "sample-columns.h"
#include "session-writer.h"

#define SAMPLE_BYTES  32u /* about what one has in memory */
#define PENDING_MAX   (16u << 20)
#define TYPE_TEXT_MAX 63u

bool writer_has_room(struct xenoprof_writer *writer)
{
    if ( writer->block.pending <= PENDING_MAX &&
         writer->block.samples.count < SESSION_SAMPLES_MAX )
        return true;
    handle_fail(writer->handle, XENOPROF_NO_MEMORY,
                "%s: too much is waiting to be written; flush first",
                writer->folder);
    return false;
}

void writer_note_time(struct xenoprof_writer *writer, uint64_t time)
{
    if ( !writer->file_began )
        writer->file_began = time;
    if ( writer->newest < time )
        writer->newest = time;
}

static bool set_type(struct writer_type *to, const struct xenoprof_type *type)
{
    char *name = strdup(type->name);
    char *unit = strdup(type->unit);

    if ( !name || !unit )
    {
        free(name);
        free(unit);
        return false;
    }
    *to = (struct writer_type){.name = name,
                               .unit = unit,
                               .select = type->select,
                               .period = type->period,
                               .turns = type->turns};
    return true;
}

bool writer_types_init(struct xenoprof_writer *writer)
{
    return set_type(&writer->types[XENOPROF_TYPE_TIME],
                    &(struct xenoprof_type){.name = "time", .unit = "ns"}) &&
           set_type(&writer->types[XENOPROF_TYPE_WAITING],
                    &(struct xenoprof_type){.name = "waiting", .unit = "ns"});
}

void writer_types_free(struct xenoprof_writer *writer)
{
    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        free(writer->types[i].name);
        free(writer->types[i].unit);
    }
}

bool writer_types_has(const struct xenoprof_writer *writer, uint16_t number)
{
    return number < XENOPROF_TYPES_MAX && writer->types[number].name;
}

uint32_t writer_type_row(struct xenoprof_writer *writer, uint16_t number)
{
    struct writer_type *type = &writer->types[number];
    struct defined_type row = {
        .number = number,
        .select = type->select,
        .period = type->period,
        .turns = type->turns,
    };

    if ( type->row )
        return type->row;
    row.name = writer_text(writer, type->name);
    row.unit = writer_text(writer, type->unit);
    if ( row.name && row.unit )
        type->row = define_type(&writer->tables, &row);
    return type->row;
}

/* Who asked for an event learns that there was none of it, too. */
bool writer_types_begin_file(struct xenoprof_writer *writer)
{
    bool done = true;

    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
        writer->types[i].row = 0;
    for ( uint16_t i = 0; done && i < XENOPROF_TYPES_MAX; i++ )
        if ( i != XENOPROF_TYPE_WAITING && writer_types_has(writer, i) )
            done = writer_type_row(writer, i);
    return done;
}

static bool is_same(const struct writer_type *left,
                    const struct xenoprof_type *right)
{
    return !strcmp(left->name, right->name) &&
           !strcmp(left->unit, right->unit) && left->select == right->select &&
           left->period == right->period && left->turns == right->turns;
}

enum xenoprof_status xenoprof_writer_type(struct xenoprof_writer *writer,
                                          uint16_t number,
                                          const struct xenoprof_type *type)
{
    if ( number >= XENOPROF_TYPES_MAX || !*type->name ||
         strlen(type->name) > TYPE_TEXT_MAX ||
         strlen(type->unit) > TYPE_TEXT_MAX )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: type %u, of %u, has a name or a unit that is "
                           "empty, or longer than %u bytes",
                           writer->folder, number, XENOPROF_TYPES_MAX,
                           TYPE_TEXT_MAX);
    if ( writer_types_has(writer, number) )
        return is_same(&writer->types[number], type)
                   ? XENOPROF_OK
                   : handle_fail(writer->handle, XENOPROF_INVALID,
                                 "%s: type %u is %s already", writer->folder,
                                 number, writer->types[number].name);
    return set_type(&writer->types[number], type) &&
                   writer_type_row(writer, number)
               ? XENOPROF_OK
               : handle_no_memory(writer->handle);
}

/* Xen's code is the same, whoever it works for. */
static bool is_xens(uint8_t mode)
{
    return mode == XENOPROF_MODE_XEN || mode == XENOPROF_MODE_IDLE;
}

uint32_t writer_space(struct xenoprof_writer *writer, uint16_t domain,
                      uint8_t mode)
{
    uint32_t row = 0;

    if ( is_xens(mode) )
        return writer->xen_spaces[mode] = define_space(&writer->tables, 0,
                                                       mode);
    row = writer_domain_row(writer, domain);
    return row ? define_space(&writer->tables, row, mode) : 0;
}

/* The same of what is there, or 0.  Each frame of Xen's asks. */
static uint32_t find_known_space(const struct xenoprof_writer *writer,
                                 uint16_t domain, uint8_t mode)
{
    uint32_t row = writer->domain_rows[domain];

    if ( is_xens(mode) )
        return writer->xen_spaces[mode];
    return row ? defined_find_space(&writer->tables, row, mode) : 0;
}

static uint32_t place_number(const struct xenoprof_writer *writer,
                             uint32_t place)
{
    return place ? (uint32_t)(writer->places_before + place) : 0;
}

void xenoprof_writer_expect(const struct xenoprof_writer *writer,
                            uint16_t domain, uint8_t mode, uint64_t address)
{
    uint32_t space = find_known_space(writer, domain, mode);

    if ( space )
        defined_expect_place(&writer->tables, space, address);
}

bool xenoprof_writer_known(const struct xenoprof_writer *writer,
                           uint16_t domain, uint8_t mode, uint64_t address,
                           uint32_t *ret)
{
    uint32_t space = find_known_space(writer, domain, mode);

    *ret = space ? place_number(writer, defined_find_place(&writer->tables,
                                                           space, address))
                 : 0;
    return *ret;
}

bool xenoprof_writer_unnamed(const struct xenoprof_writer *writer,
                             uint16_t domain, uint8_t mode, uint32_t *number,
                             uint64_t *address)
{
    const struct defined_tables *tables = &writer->tables;
    uint32_t space = find_known_space(writer, domain, mode);
    uint32_t at = writer_place_of(writer, *number);

    while ( space && at < tables->places.count )
    {
        const struct defined_place *place = defined_place_at(tables, ++at);

        if ( place->key.space != space || !place->key.address ||
             defined_is_named(tables, place) ||
             defined_find_place(tables, space, place->key.address) != at )
            continue;
        *number = place_number(writer, at);
        *address = place->key.address;
        return true;
    }
    *number = place_number(writer, at);
    return false;
}

/* The symbol that a place of this name refers to, or 0 if nothing is known. */
static uint32_t place_symbol(struct xenoprof_writer *writer,
                             const struct xenoprof_place *place, bool *done)
{
    uint32_t image = 0, name = 0, symbol;

    if ( !place->image && !place->symbol )
        return 0;
    if ( place->image )
        image = writer_text(writer, place->image);
    if ( place->symbol )
        name = writer_text(writer, place->symbol);
    symbol = define_symbol(&writer->tables, image, name, place->symbol_start);
    *done = symbol && (image || !place->image) && (name || !place->symbol);
    return symbol;
}

/* A place of which the file said nothing but its address, or the one before. */
static bool add_named(struct xenoprof_writer *writer, uint32_t place,
                      uint32_t symbol)
{
    uint64_t *row;

    if ( place > writer->written.rows[SESSION_TABLE_PLACE] &&
         place > writer->carried )
        return true;
    row = block_add_row(writer, SESSION_TABLE_NAMED, NULL);
    if ( !row )
        return false;
    row[SESSION_NAMED_PLACE] = place;
    row[SESSION_NAMED_SYMBOL] = symbol;
    return true;
}

static enum xenoprof_status check_place(struct xenoprof_writer *writer,
                                        const struct xenoprof_place *place)
{
    if ( place->mode >= XENOPROF_MODES )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a place with the unknown mode %u",
                           writer->folder, place->mode);
    if ( (place->image && strlen(place->image) > STRING_MAX) ||
         (place->symbol && strlen(place->symbol) > STRING_MAX) )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a name is longer than the %u bytes that a "
                           "session holds",
                           writer->folder, STRING_MAX);
    return writer_has_room(writer) ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}

enum xenoprof_status xenoprof_writer_place(struct xenoprof_writer *writer,
                                           const struct xenoprof_place *place,
                                           uint32_t *ret)
{
    enum xenoprof_status status = check_place(writer, place);
    bool done = true, named = false;
    uint32_t space, symbol, number;

    *ret = 0;
    if ( status )
        return status;
    space = writer_space(writer, place->domain, place->mode);
    symbol = place_symbol(writer, place, &done);
    number = space && done ? define_place(&writer->tables, space,
                                          place->address, symbol, &named)
                           : 0;
    if ( !number || (named && !add_named(writer, number, symbol)) )
        return handle_no_memory(writer->handle);
    writer->block.pending += named;
    *ret = place_number(writer, number);
    return XENOPROF_OK;
}

static uint32_t shape_of(struct xenoprof_writer *writer,
                         const struct xenoprof_stored *sample, uint32_t entry,
                         const uint32_t nodes[SAMPLE_CHAINS])
{
    const uint32_t chains = (nodes[CHAIN_USER] ? SHAPE_HAS_USER : 0) |
                            (nodes[CHAIN_KERNEL] ? SHAPE_HAS_KERNEL : 0) |
                            (nodes[CHAIN_XEN] ? SHAPE_HAS_XEN : 0);
    const struct defined_shape shape = shape_of_sample(
        sample, chains, writer_type_row(writer, sample->type), entry);

    return shape.type ? define_shape(&writer->tables, &shape) : 0;
}

static bool add_sample(struct xenoprof_writer *writer,
                       const struct xenoprof_stored *sample,
                       const uint32_t *chain, size_t count)
{
    struct block_sample row = {
        .pcpu = sample->pcpu,
        .time = {(uint32_t)(sample->time >> 32), (uint32_t)sample->time}};
    uint32_t domain = writer_domain_row(writer, sample->domain);
    const struct defined_domain *known;
    struct block_sample *added;
    uint32_t entry = 0;

    row.vcpu = domain ? define_vcpu(&writer->tables, domain, sample->vcpu) : 0;
    if ( !row.vcpu || !writer_chain(writer, chain, count, row.nodes) )
        return false;
    known = table_at(&writer->tables.domains, domain - 1);
    /* A sample without why the guest entered Xen, or who ran in it, is better
     * than none. */
    if ( sample->entry.kind != XENOPROF_ENTRY_NONE )
        entry = define_entry(&writer->tables, known->uuid, &sample->entry);
    row.shape = shape_of(writer, sample, entry, row.nodes);
    if ( *sample->thread.comm )
        row.thread = define_thread(&writer->tables, known->uuid,
                                   &sample->thread);
    added = row.shape ? vector_add(&writer->block.samples) : NULL;
    if ( added )
        *added = row;
    return added;
}

enum xenoprof_status xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count)
{
    uint32_t chain[STACK_MAX]; /* rows; not cleared: few have many places */

    if ( !count && sample->place )
    {
        places = &sample->place;
        count = 1;
    }
    if ( !writer_types_has(writer, sample->type) )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a sample of type %u, which was not declared",
                           writer->folder, sample->type);
    if ( sample->mode >= XENOPROF_MODES || count > STACK_MAX ||
         !writer_place_rows(writer, places, count, chain) )
        return handle_fail(
            writer->handle, XENOPROF_INVALID,
            "%s: a sample with mode %u and a chain of %zu places "
            "(%u are allowed), or of places that this session "
            "does not have",
            writer->folder, sample->mode, count, STACK_MAX);
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    if ( !add_sample(writer, sample, chain, count) )
        return handle_no_memory(writer->handle);
    writer_note_time(writer, sample->time);
    writer->block.pending += SAMPLE_BYTES;
    return XENOPROF_OK;
}
