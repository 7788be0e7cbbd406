/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From texts, places and nodes of a file to those of the session.  What is the
 * same in two files has one number; a place that gets its name in a later file
 * has it in all.
 */
#include <string.h>

#include "block-items.h"

#define STEP_TEXT_BYTES 4u
#define STEPS_NODE      26u

#define NODES_EXPECTED 64u /* whose memory is asked for */

#define SPACE_OF_FUNCTIONS UINT32_MAX /* in place of a domain */

uint32_t items_text(struct block_items *items, uint64_t text, bool *done)
{
    const struct read_text *known = READ_FIND(items->read, texts, text);
    uint32_t *number;

    if ( !known || !known->bytes )
        return 0;
    number = &items->texts.items[text - 1];
    if ( !*number )
        *number = define_text(&items->all, known->bytes, known->size);
    *done &= *number != 0;
    return *number;
}

uint32_t items_domain(struct block_items *items, uint64_t domain, bool *done)
{
    const struct defined_domain *known = READ_FIND(items->read, domains,
                                                   domain);
    uint32_t *number, kind;

    if ( !known || !known->known )
        return 0;
    number = &items->domain_rows.items[domain - 1];
    if ( *number )
        return *number;
    kind = items_text(items, known->kind, done);
    if ( *done )
        *number = define_domain(&items->all, known->number, known->uuid, kind);
    *done &= *number != 0;
    return *number;
}

void items_say_domain(struct block_items *items, uint64_t domain, uint64_t time,
                      const char *name, struct xenoprof_item *ret)
{
    const struct defined_domain *known = READ_FIND(items->read, domains,
                                                   domain);

    items->domain_now[known->number] = items->domain_rows.items[domain - 1];
    ret->kind = XENOPROF_ITEM_DOMAIN;
    ret->time = time;
    ret->u.domain.domain = known->number;
    memcpy(ret->u.domain.uuid, known->uuid, sizeof(known->uuid));
    ret->u.domain.name = name;
    ret->u.domain.kind = items_known_text(items, known->kind);
}

static uint32_t session_space(struct block_items *items, uint32_t space,
                              bool *done)
{
    const struct defined_space *known = READ_FIND(items->read, spaces, space);
    uint32_t domain, number;

    if ( !known || known->mode >= XENOPROF_MODES )
        return 0;
    if ( items->spaces.items[space - 1] )
        return items->spaces.items[space - 1];
    domain = items_domain(items, known->domain, done);
    number = define_space(&items->all, domain, known->mode);
    *done &= number != 0;
    /* A domain that a lost block defined may be said again. */
    if ( domain || !known->domain )
        items->spaces.items[space - 1] = number;
    return number;
}

static uint32_t session_symbol(struct block_items *items, uint32_t symbol,
                               bool *done)
{
    const struct defined_symbol *known = READ_FIND(items->read, symbols,
                                                   symbol);
    uint32_t image, name, number = 0;

    if ( !known )
        return 0;
    if ( items->symbols.items[symbol - 1] )
        return items->symbols.items[symbol - 1];
    image = items_text(items, known->image, done);
    name = items_text(items, known->name, done);
    if ( *done )
        number = define_symbol(&items->all, image, name, known->start);
    *done &= number != 0;
    items->symbols.items[symbol - 1] = number;
    return number;
}

/* Who takes the item looks at all of the text. */
static const char *say_text(struct block_items *items, uint32_t number)
{
    const struct read_text *text = READ_FIND(items->read, texts, number);

    if ( !text || !text->bytes )
        return NULL;
    items->steps += text->size / STEP_TEXT_BYTES;
    return text->bytes;
}

static void say_place(struct block_items *items, const struct read_place *from,
                      uint32_t number, struct xenoprof_item *ret)
{
    const struct reader_tables *read = items->read;
    const struct defined_space *space = READ_FIND(read, spaces, from->space);
    const struct defined_domain *domain = READ_FIND(read, domains,
                                                    space->domain);
    const struct defined_symbol *symbol = READ_FIND(read, symbols,
                                                    from->symbol);

    memset(ret, 0, sizeof(*ret));
    ret->kind = XENOPROF_ITEM_PLACE;
    ret->u.place.number = number;
    ret->u.place.place = (struct xenoprof_place){
        .domain = domain ? domain->number : 0,
        .mode = space->mode,
        .address = from->address,
        .image = symbol ? say_text(items, symbol->image) : NULL,
        .symbol = symbol ? say_text(items, symbol->name) : NULL,
        .symbol_start = symbol ? symbol->start : 0,
    };
    if ( domain )
        memcpy(ret->u.place.uuid, domain->uuid, sizeof(ret->u.place.uuid));
}

static uint32_t *function_at(const struct block_items *items, uint32_t symbol,
                             uint8_t mode)
{
    return &items->functions.items[(symbol - 1) * XENOPROF_MODES + mode];
}

/* Finds the place of a function in one mode: there its symbol's number stands
 * for an address, in a space that is nobody's. */
static uint32_t find_function_place(struct block_items *items, uint32_t symbol,
                                    uint8_t mode, bool *is_item, bool *done)
{
    uint32_t *number = function_at(items, symbol, mode);
    const size_t before = items->all.places.count;
    uint32_t space, address;
    bool named;

    if ( *number )
        return *number;
    address = session_symbol(items, symbol, done);
    space = define_space(&items->all, SPACE_OF_FUNCTIONS, mode);
    if ( *done && space )
        *number = define_place(&items->all, space, address, address, &named);
    *done &= *number != 0;
    *is_item = items->all.places.count > before;
    return *number;
}

/* Whether the file says what function the place is in. */
static bool has_name(const struct block_items *items,
                     const struct read_place *place, uint8_t mode)
{
    const struct defined_symbol *symbol = READ_FIND(items->read, symbols,
                                                    place->symbol);

    return symbol && (*function_at(items, place->symbol, mode) ||
                      reader_text(items->read, symbol->name));
}

/* Whether a place of the session has no name yet; 0: no. */
static bool is_nameless(const struct block_items *items, uint32_t place)
{
    return place &&
           !defined_is_named(&items->all, defined_place_at(&items->all, place));
}

/* Finds the place of an address. */
static uint32_t find_address(struct block_items *items,
                             const struct read_place *from, uint8_t mode,
                             bool *is_item, bool *done)
{
    const size_t before = items->all.places.count;
    const uint32_t space = session_space(items, from->space, done);
    uint32_t symbol, number = 0;
    bool named = false;

    if ( !space )
        return 0;
    symbol = session_symbol(items, from->symbol, done);
    if ( *done )
        number = define_place(&items->all, space, from->address, symbol,
                              &named);
    *done &= number != 0;
    *is_item = named || items->all.places.count > before;
    if ( named )
        nameless_remove(&items->nameless, space, from->address);
    else if ( items->by_function && *is_item && mode != XENOPROF_MODE_USER &&
              is_nameless(items, number) )
        *done &= nameless_add(&items->nameless, space, from->address);
    return number;
}

/* Whether a place with a name is a function's.  One that was met before it had
 * its name gets that first, but for code of processes: there an address that
 * gets a name is another process's. */
static bool is_function(struct block_items *items,
                        const struct read_place *from, uint8_t mode, bool *done)
{
    uint32_t space;

    if ( !items->by_function || !has_name(items, from, mode) )
        return false;
    if ( mode == XENOPROF_MODE_USER )
        return true;
    space = session_space(items, from->space, done);
    return !nameless_may_have(&items->nameless, space, from->address) ||
           !is_nameless(items,
                        defined_find_place(&items->all, space, from->address));
}

bool items_add_line(struct block_items *items, uint64_t place)
{
    const struct read_place *from = READ_FIND(items->read, places, place);

    /* A function has many. */
    if ( items->by_function || !from || !from->line )
        return true;
    if ( !vector_reserve(&items->lined, 1) )
        return false;
    items->lined.items[items->lined.count++] = (uint32_t)place;
    return true;
}

bool items_next_line(struct block_items *items, struct xenoprof_item *ret)
{
    if ( !items->lined.count )
        return false;
    while ( items->lines < items->lined.count )
    {
        const uint32_t place = items->lined.items[items->lines++];
        const uint32_t number = items->places.items[place - 1];
        const struct read_place *from = &items->read->places.items[place - 1];
        const struct read_line *line =
            &items->read->lines.items[from->line - 1];

        ret->kind = XENOPROF_ITEM_LINE;
        ret->u.line = (struct xenoprof_line){
            .place = number,
            .line = line->line,
            .path = say_text(items, line->path)};
        items->steps += STEPS_NODE;
        if ( number && ret->u.line.path && *ret->u.line.path )
            return true;
    }
    memset(ret, 0, sizeof(*ret));
    items->lined.count = items->lines = 0;
    return false;
}

/* Returns the session's number of a place, or 0 if it is not known.  *is_item:
 * it is an item that comes first. */
static uint32_t session_place(struct block_items *items, uint64_t place,
                              bool *is_item, bool *done)
{
    const struct read_place *from = READ_FIND(items->read, places, place);
    const struct defined_space *space = from && from->known
                                            ? READ_FIND(items->read, spaces,
                                                        from->space)
                                            : NULL;
    uint32_t number;

    *is_item = false;
    if ( !space || space->mode >= XENOPROF_MODES )
        return 0;
    number = is_function(items, from, space->mode, done)
                 ? find_function_place(items, from->symbol, space->mode,
                                       is_item, done)
                 : find_address(items, from, space->mode, is_item, done);
    if ( number && number != items->places.items[place - 1] )
        *done &= items_add_line(items, place);
    items->places.items[place - 1] = number;
    return number;
}

bool items_named(struct block_items *items, uint64_t place,
                 struct xenoprof_item *ret, bool *done)
{
    const struct read_place *from = READ_FIND(items->read, places, place);
    uint32_t number, space;
    bool is_item;

    if ( !from || !from->known )
        return false;
    space = session_space(items, from->space, done);
    /* What no sample of the session has comes with its name, and so does a
     * function. */
    if ( !space || !defined_find_place(&items->all, space, from->address) )
    {
        items->places.items[place - 1] = 0;
        return false;
    }
    number = session_place(items, place, &is_item, done);
    if ( is_item )
        say_place(items, READ_FIND(items->read, places, place), number, ret);
    return is_item;
}

/* What a node of the file is in the session.  Returns false if its place, or
 * its parent, is not yet. */
static bool get_node(const struct block_items *items, size_t index,
                     struct defined_node *ret)
{
    const struct read_node *from = &items->read->nodes.items[index];

    *ret = (struct defined_node){.number = 0};
    if ( from->parent > items->coded )
        return false;
    if ( from->parent )
        ret->key.parent = items->nodes.items[from->parent - 1];
    if ( !from->place || from->place > items->places.count )
        return true;
    ret->key.place = items->places.items[from->place - 1];
    return ret->key.place;
}

/* Nodes are far apart in memory: it is asked for what the next ones need. */
static void prefetch_nodes(struct block_items *items)
{
    const struct table *nodes = &items->all.nodes;
    size_t end = items->coded + CALLS_EXPECTED;
    size_t near = items->coded + CALLS_EXPECTED / 2;
    struct defined_node node;

    if ( end > items->read->nodes.count )
        end = items->read->nodes.count;
    for ( ; items->coded_expected < end; items->coded_expected++ )
        items->code_hashes[items->coded_expected % CALLS_EXPECTED] =
            get_node(items, items->coded_expected, &node)
                ? table_expect(nodes, &node.key)
                : 0;
    if ( near < end )
        table_expect_entry(nodes, items->code_hashes[near % CALLS_EXPECTED]);
}

/* The first file's nodes are the session's, as they come: no two are alike.
 * Those of later files are looked for.  Returns 0 if there is no memory. */
static uint32_t put_node(struct block_items *items,
                         const struct defined_node *node)
{
    struct table *nodes = &items->all.nodes;
    uint32_t hash = items->code_hashes[items->coded % CALLS_EXPECTED];
    const struct defined_node *known;

    if ( nodes->count >= items->all.nodes_max )
        known = table_find(nodes, &node->key);
    else if ( !items->indexed )
        known = table_append(nodes, &node->key);
    else if ( hash )
        known = table_put_expected(nodes, &node->key, hash);
    else
        known = table_put(nodes, &node->key);
    return known ? (uint32_t)table_index(nodes, known) + 1 : 0;
}

/* Makes the next node one of the session.  Returns as items_code() does. */
static enum xenoprof_status add_node(struct block_items *items,
                                     struct xenoprof_item *ret)
{
    uint64_t place = items->read->nodes.items[items->coded].place;
    bool is_item = false, done = true;
    struct defined_node node;

    if ( !get_node(items, items->coded, &node) )
        node.key.place = session_place(items, place, &is_item, &done);
    items->nodes.items[items->coded] = done ? put_node(items, &node) : 0;
    if ( !items->nodes.items[items->coded] )
        return XENOPROF_NO_MEMORY;
    items->coded++;
    items->steps += STEPS_NODE;
    if ( !is_item )
        return XENOPROF_END;
    say_place(items, READ_FIND(items->read, places, place), node.key.place,
              ret);
    return XENOPROF_OK;
}

/* Asks for what is needed of a node that comes soon. */
static void expect_node(const struct block_items *items, size_t index)
{
    const struct read_node *node;

    if ( index >= items->read->nodes.count )
        return;
    node = &items->read->nodes.items[index];
    if ( node->place && node->place <= items->places.count )
    {
        memory_expect(&items->places.items[node->place - 1]);
        memory_expect(&items->read->places.items[node->place - 1]);
    }
    if ( node->parent && items->wanted == ITEMS_KINDS )
        memory_expect(&items->nodes.items[node->parent - 1]);
}

/* The same, of its place if that is not known yet. */
static void expect_place(const struct block_items *items, size_t index)
{
    const struct read_node *node;
    const struct read_place *place;

    if ( index >= items->read->nodes.count )
        return;
    node = &items->read->nodes.items[index];
    place = READ_FIND(items->read, places, node->place);
    if ( place && node->place <= items->places.count &&
         !items->places.items[node->place - 1] && place->space &&
         place->space <= items->spaces.count )
        nameless_expect(&items->nameless, items->spaces.items[place->space - 1],
                        place->address);
}

/* Returns what the session calls a node's place, as session_place() does. */
static uint32_t place_of_node(struct block_items *items,
                              const struct read_node *node, bool *is_item,
                              bool *done)
{
    const uint32_t *places = items->places.items;

    *is_item = false;
    if ( !node->place || node->place > items->places.count )
        return 0;
    return places[node->place - 1]
               ? places[node->place - 1]
               : session_place(items, node->place, is_item, done);
}

static void note_leaves(struct block_items *items,
                        const struct xenoprof_node *nodes, size_t count)
{
    uint32_t *leaves = items->nodes.items + items->coded;

    for ( size_t i = 0; i < count; i++ )
        leaves[i] = leaf_of_node(&nodes[i]);
    for ( size_t i = 0; items->passing.count && i < count; i++ )
        if ( nodes[i].parent && items_pass(items, nodes[i].place) )
            leaves[i] = leaf_that_passes(items, items->coded + i, &nodes[i]);
}

/* Notes what nodes of the file are, from the next one on, however samples are
 * wanted.  Returns false if there is no memory. */
static bool note_run(struct block_items *items,
                     const struct xenoprof_node *nodes, size_t count)
{
    bool done = true;

    if ( items->wanted == ITEMS_KINDS )
        return kinds_of_nodes(items, nodes, count);
    if ( items->wanted == ITEMS_LEAVES )
        note_leaves(items, nodes, count);
    for ( size_t i = 0; items->wanted == ITEMS_CHAINS && done && i < count;
          i++ )
        done = sample_columns_node(&items->columns, nodes[i].parent,
                                   nodes[i].place);
    return done;
}

/* Whether a node may be noted with those from the next one on: the kind of its
 * parent is known before its own is asked for. */
static bool may_join(const struct block_items *items,
                     const struct read_node *node)
{
    return items->wanted != ITEMS_KINDS || node->parent <= items->coded;
}

/* Notes the next nodes for samples in columns, up to one whose place is an item
 * that comes first.  Returns as items_code() does. */
static enum xenoprof_status note_nodes(struct block_items *items,
                                       struct xenoprof_item *ret)
{
    const struct read_node *next = items->read->nodes.items + items->coded;
    const size_t left = items->read->nodes.count - items->coded;
    struct xenoprof_node run[NODES_AT_ONCE];
    bool is_item = false, done = true;
    uint32_t place = 0;
    size_t count = 0;

    while ( done && count < left && count < NODES_AT_ONCE &&
            may_join(items, &next[count]) )
    {
        expect_node(items, items->coded + count + NODES_EXPECTED);
        expect_place(items, items->coded + count + NODES_EXPECTED / 2);
        place = place_of_node(items, &next[count], &is_item, &done);
        if ( is_item )
            break;
        run[count] = (struct xenoprof_node){next[count].parent, place};
        count++;
    }
    if ( !done || (count && !note_run(items, run, count)) )
        return XENOPROF_NO_MEMORY;
    items->coded += count;
    items->steps += count * STEPS_NODE;
    if ( !is_item )
        return XENOPROF_END;
    say_place(items, READ_FIND(items->read, places, next[count].place), place,
              ret);
    return XENOPROF_OK;
}

/* What the first file left is looked for from now on. */
static bool find_all(struct block_items *items)
{
    if ( items->indexed || !items->later )
        return true;
    items->indexed = table_find_all(&items->all.nodes) &&
                     table_find_all(&items->stacks);
    return items->indexed;
}

/* The same, for samples one by one. */
static enum xenoprof_status next_node(struct block_items *items,
                                      struct xenoprof_item *ret)
{
    if ( items->indexed )
        prefetch_nodes(items);
    return add_node(items, ret);
}

enum xenoprof_status items_code(struct block_items *items,
                                struct xenoprof_item *ret)
{
    enum xenoprof_status status = XENOPROF_END;

    if ( items->wanted == ITEMS_ONES && !find_all(items) )
        return XENOPROF_NO_MEMORY;
    while ( status == XENOPROF_END && items->coded < items->read->nodes.count )
        status = items->wanted == ITEMS_ONES ? next_node(items, ret)
                                             : note_nodes(items, ret);
    return status;
}
