/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From texts, places and nodes of a file to those of the session.  What is the
 * same in two files has one number; a place that gets its name in a later file
 * has it in all.
 */
#include <string.h>

#include "epoch-items.h"

#define STEP_TEXT_BYTES 4u

uint32_t items_text(struct epoch_items *items, uint64_t text, bool *done)
{
    const struct read_text *known = READ_FIND(items->read, texts, text);
    uint32_t *number;

    if ( !known || !known->bytes )
        return 0;
    number = &items->texts.items[text - 1];
    if ( !*number )
        *number = epoch_text(&items->all, known->bytes, known->size);
    *done &= *number != 0;
    return *number;
}

uint32_t items_domain(struct epoch_items *items, uint64_t domain, bool *done)
{
    const struct read_domain *known = READ_FIND(items->read, domains, domain);
    uint32_t *number, kind;

    if ( !known || !known->known )
        return 0;
    number = &items->domain_rows.items[domain - 1];
    if ( *number )
        return *number;
    kind = items_text(items, known->kind, done);
    if ( *done )
        *number = epoch_domain(&items->all, known->number, known->uuid, kind);
    *done &= *number != 0;
    return *number;
}

static uint32_t space_of(struct epoch_items *items, uint32_t space, bool *done)
{
    const struct read_space *known = READ_FIND(items->read, spaces, space);
    uint32_t number;

    if ( !known || known->mode >= XENOPROF_MODES )
        return 0;
    number = epoch_space(&items->all, items_domain(items, known->domain, done),
                         known->mode);
    *done &= number != 0;
    return number;
}

static uint32_t symbol_of(struct epoch_items *items, uint32_t symbol,
                          bool *done)
{
    const struct read_symbol *known = READ_FIND(items->read, symbols, symbol);
    uint32_t image, name, number = 0;

    if ( !known )
        return 0;
    image = items_text(items, known->image, done);
    name = items_text(items, known->name, done);
    if ( *done )
        number = epoch_symbol(&items->all, image, name, known->start);
    *done &= number != 0;
    return number;
}

/* Who takes the item looks at all of the text. */
static const char *tell_text(struct epoch_items *items, uint32_t number)
{
    const struct read_text *text = READ_FIND(items->read, texts, number);

    if ( !text || !text->bytes )
        return NULL;
    items->steps += text->size / STEP_TEXT_BYTES;
    return text->bytes;
}

static void tell_place(struct epoch_items *items, const struct read_place *from,
                       uint32_t number, struct xenoprof_item *ret)
{
    const struct epoch_read *read = items->read;
    const struct read_space *space = READ_FIND(read, spaces, from->space);
    const struct read_domain *domain = READ_FIND(read, domains, space->domain);
    const struct read_symbol *symbol = READ_FIND(read, symbols, from->symbol);

    memset(ret, 0, sizeof(*ret));
    ret->kind = XENOPROF_ITEM_PLACE;
    ret->u.place.number = number;
    ret->u.place.place = (struct xenoprof_place){
        .domain = domain ? domain->number : 0,
        .mode = space->mode,
        .address = from->address,
        .image = symbol ? tell_text(items, symbol->image) : NULL,
        .symbol = symbol ? tell_text(items, symbol->name) : NULL,
        .symbol_start = symbol ? symbol->start : 0,
    };
}

/* Returns the session's number of a place, or 0 if it is not known. *tell: it
 * is an item that comes first. */
static uint32_t find_place(struct epoch_items *items, uint64_t place,
                           bool *tell, bool *done)
{
    const struct read_place *from = READ_FIND(items->read, places, place);
    size_t before = items->all.places.count;
    uint32_t space, symbol, number;
    bool named = false;

    *tell = false;
    space = from && from->known ? space_of(items, from->space, done) : 0;
    if ( !space )
        return 0;
    symbol = symbol_of(items, from->symbol, done);
    number = *done ? epoch_place(&items->all, space, from->address, symbol,
                                 &named)
                   : 0;
    *done &= number != 0;
    *tell = named || items->all.places.count > before;
    items->places.items[place - 1] = number;
    return number;
}

bool items_named(struct epoch_items *items, uint64_t place,
                 struct xenoprof_item *ret, bool *done)
{
    const struct read_place *from = READ_FIND(items->read, places, place);
    uint32_t number, space;
    bool tell;

    if ( !from || !from->known )
        return false;
    space = space_of(items, from->space, done);
    /* What no sample of the session has comes with its name. */
    if ( !space || !epoch_find_place(&items->all, space, from->address) )
        return false;
    number = find_place(items, place, &tell, done);
    if ( tell )
        tell_place(items, READ_FIND(items->read, places, place), number, ret);
    return tell;
}

/* The ancestor of a node, or itself, whose parent is in the session. */
static uint64_t first_missing(const struct epoch_items *items, uint64_t node)
{
    const struct read_node *nodes = items->read->nodes.items;

    while ( nodes[node - 1].parent &&
            !items->nodes.items[nodes[node - 1].parent - 1] )
        node = nodes[node - 1].parent;
    return node;
}

/* Adds one node to the session.  Returns as items_nodes() does. */
static enum xenoprof_status add_node(struct epoch_items *items, uint64_t node,
                                     struct xenoprof_item *ret)
{
    const struct read_node *from = &items->read->nodes.items[node - 1];
    uint32_t parent = from->parent ? items->nodes.items[from->parent - 1] : 0;
    bool known = from->place && from->place <= items->places.count;
    uint32_t place = known ? items->places.items[from->place - 1] : 0;
    bool tell = false, done = true;

    if ( known && !place )
        place = find_place(items, from->place, &tell, &done);
    if ( done )
        items->nodes.items[node - 1] = epoch_node(&items->all, parent, place);
    if ( !done || !items->nodes.items[node - 1] )
        return XENOPROF_NO_MEMORY;
    items->steps++;
    if ( !tell )
        return XENOPROF_OK;
    tell_place(items, READ_FIND(items->read, places, from->place), place, ret);
    return XENOPROF_END;
}

enum xenoprof_status items_nodes(struct epoch_items *items,
                                 const uint64_t nodes[ITEM_CHAINS],
                                 uint32_t into[ITEM_CHAINS],
                                 struct xenoprof_item *ret)
{
    enum xenoprof_status status = XENOPROF_OK;

    for ( unsigned int i = 0; i < ITEM_CHAINS; i++ )
    {
        uint64_t node = nodes[i] <= items->nodes.count ? nodes[i] : 0;

        while ( !status && node && !items->nodes.items[node - 1] )
            status = add_node(items, first_missing(items, node), ret);
        if ( status )
            return status;
        into[i] = node ? items->nodes.items[node - 1] : 0;
    }
    return XENOPROF_OK;
}
