/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a block.  First they are put into columns, in which what they
 * ran is what the session calls it; places and stacks that are new are items.
 * Then samples are handed out, and before one of a domain whose number was
 * another's up to here, that is an item.
 */
#include "epoch-items.h"

#define STEPS_SAMPLE 25u

static size_t chain_length(const struct epoch_tables *all, uint32_t node)
{
    size_t length = 0;

    for ( ; node; node = ((struct epoch_node *)table_at(&all->nodes, node - 1))
                             ->key.parent )
        length++;
    return length;
}

/* Leaf first. */
static uint32_t *put_chain(const struct epoch_items *items, uint32_t node,
                           uint32_t *to)
{
    while ( node )
    {
        const struct epoch_node *at = table_at(&items->all.nodes, node - 1);

        *to++ = items_place(items, at->key.place);
        node = at->key.parent;
    }
    return to;
}

static bool make_frames(struct epoch_items *items,
                        const uint32_t nodes[CALL_CHAINS])
{
    size_t count = 0;
    uint32_t *to;

    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
        count += chain_length(&items->all, nodes[i]);
    items->frames.count = 0;
    if ( !vector_reserve(&items->frames, count + 1) )
        return false;
    to = items->frames.items;
    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
        to = put_chain(items, nodes[i], to);
    items->frames.count = count;
    items->steps += count;
    return true;
}

/* Returns whether these nodes are one frame.  *place: the first one's. */
static bool is_one_frame(const struct epoch_items *items,
                         const uint32_t nodes[CALL_CHAINS], uint32_t *place)
{
    const struct epoch_node *node;
    unsigned int chains = 0;
    uint32_t first = 0;

    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
    {
        chains += nodes[i] != 0;
        first = first ? first : nodes[i];
    }
    *place = 0;
    if ( !first )
        return true;
    node = table_at(&items->all.nodes, first - 1);
    *place = items_place(items, node->key.place);
    return chains == 1 && !node->key.parent;
}

/* The frames of a stack are an item. */
static enum xenoprof_status say_stack(struct epoch_items *items,
                                      uint32_t number,
                                      const uint32_t nodes[CALL_CHAINS],
                                      struct xenoprof_item *ret)
{
    if ( !make_frames(items, nodes) )
        return XENOPROF_NO_MEMORY;
    ret->kind = XENOPROF_ITEM_STACK;
    ret->u.stack.number = number;
    ret->u.stack.places = items->frames.items;
    ret->u.stack.count = items->frames.count;
    return XENOPROF_END;
}

/* As nodes are: in the first file, no two that are asked for are alike. */
static struct items_stack *put_stack(struct epoch_items *items,
                                     const uint32_t nodes[CALL_CHAINS])
{
    return items->indexed ? table_put(&items->stacks, nodes)
                          : table_append(&items->stacks, nodes);
}

/* Finds the call of the session's nodes.  Returns as get_call() does. */
static enum xenoprof_status find_call(struct epoch_items *items,
                                      const uint32_t nodes[CALL_CHAINS],
                                      uint32_t *call, struct xenoprof_item *ret)
{
    struct items_stack *stack = put_stack(items, nodes);
    struct xenoprof_call new = {.place = 0};
    bool one;

    if ( !stack )
        return XENOPROF_NO_MEMORY;
    if ( stack->call )
    {
        *call = stack->call - 1;
        return XENOPROF_OK;
    }
    one = is_one_frame(items, nodes, &new.place);
    if ( !one )
        new.stack = items->stacks_before + ++items->stack_count;
    if ( !sample_columns_call(&items->columns, &new, call) )
        return XENOPROF_NO_MEMORY;
    stack->call = *call + 1;
    return one ? XENOPROF_OK : say_stack(items, new.stack, nodes, ret);
}

/* A node that is not known is none. */
static void get_nodes(const struct epoch_read *read, size_t row,
                      uint32_t ret[CALL_CHAINS])
{
    static const unsigned int columns[CALL_CHAINS] = {
        EPOCH_SAMPLE_XEN, EPOCH_SAMPLE_KERNEL, EPOCH_SAMPLE_USER};

    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
    {
        uint64_t node = read->part.values[columns[i]][row];

        ret[i] = node <= read->nodes.count ? (uint32_t)node : 0;
    }
}

/* Some rows are looked at before they are needed. */
static void expect_rows(struct epoch_items *items, size_t end)
{
    uint32_t nodes[CALL_CHAINS];

    for ( ; items->expected < end; items->expected++ )
    {
        get_nodes(items->read, items->expected, nodes);
        if ( items->wanted == ITEMS_LEAVES )
        {
            leaf_expect(items, nodes);
            continue;
        }
        items->hashes[items->expected % CALLS_AHEAD] = triple_hash(
            &items->calls, nodes);
        triple_expect(&items->calls,
                      items->hashes[items->expected % CALLS_AHEAD]);
    }
}

/* Returns why the guest entered Xen; nothing if that is not known. */
static struct xenoprof_entry get_entry(const struct epoch_read *read,
                                       const struct read_shape *shape)
{
    const struct xenoprof_entry *entry = READ_FIND(read, entries, shape->entry);

    return entry && entry->kind ? *entry : (struct xenoprof_entry){.kind = 0};
}

/* Returns false for a sample of which a lost block said who or what it is. */
static bool get_who(const struct epoch_read *read, size_t row,
                    struct xenoprof_who *ret)
{
    uint64_t *const *values = read->part.values;
    const struct read_shape *shape = READ_FIND(read, shapes,
                                               values[EPOCH_SAMPLE_SHAPE][row]);
    const struct read_vcpu *vcpu = READ_FIND(read, vcpus,
                                             values[EPOCH_SAMPLE_VCPU][row]);
    const struct read_domain *domain = vcpu ? READ_FIND(read, domains,
                                                        vcpu->domain)
                                            : NULL;

    if ( !shape || !shape->known || !domain || !domain->known )
        return false;
    *ret = (struct xenoprof_who){
        .domain = domain->number,
        .vcpu = vcpu->number,
        .pcpu = (uint16_t)values[EPOCH_SAMPLE_PCPU][row],
        .mode = shape->mode,
        .weight = shape->weight,
        .marks = shape->marks,
        .period = (uint32_t)shape->period,
        .entry = get_entry(read, shape),
    };
    return true;
}

/* Finds what these nodes of the file are in the session.  Returns as get_call()
 * does. */
static enum xenoprof_status make_call(struct epoch_items *items,
                                      const uint32_t nodes[CALL_CHAINS],
                                      uint32_t *call, struct xenoprof_item *ret)
{
    uint32_t into[CALL_CHAINS];
    enum xenoprof_status status;

    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
        into[i] = nodes[i] ? items->nodes.items[nodes[i] - 1] : 0;
    status = find_call(items, into, call, ret);
    if ( status != XENOPROF_NO_MEMORY &&
         !triple_add(&items->calls, nodes, *call) )
        return XENOPROF_NO_MEMORY;
    return status;
}

/* Finds what a row ran.  Returns XENOPROF_OK; XENOPROF_END if that is an item,
 * *ret, which comes first; or XENOPROF_NO_MEMORY. */
static enum xenoprof_status get_call(struct epoch_items *items, size_t row,
                                     uint32_t *call, struct xenoprof_item *ret)
{
    uint32_t nodes[CALL_CHAINS];

    get_nodes(items->read, row, nodes);
    if ( items->wanted == ITEMS_LEAVES )
        return leaf_call(items, nodes, call) ? XENOPROF_OK : XENOPROF_NO_MEMORY;
    *call = triple_find(&items->calls, nodes, items->hashes[row % CALLS_AHEAD]);
    if ( *call != TRIPLE_NONE )
        return XENOPROF_OK;
    if ( items->wanted == ITEMS_ONES )
        return make_call(items, nodes, call, ret);
    return chain_call(items, nodes, call) ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}

static uint64_t get_time(const struct epoch_read *read, size_t row)
{
    uint64_t *const *values = read->part.values;
    uint64_t scale = values[EPOCH_SAMPLE_SCALE][row];

    return values[EPOCH_SAMPLE_TIME][row] * (scale ? scale : 1);
}

/* Puts a row into the columns.  Returns as get_call() does. */
static enum xenoprof_status take_row(struct epoch_items *items, size_t row,
                                     struct xenoprof_item *ret)
{
    struct sample_columns *columns = &items->columns;
    struct xenoprof_who who;
    uint32_t call;
    enum xenoprof_status status;

    if ( !get_who(items->read, row, &who) )
        return XENOPROF_OK;
    status = get_call(items, row, &call, ret);
    if ( status )
        return status;
    columns->vcpus[columns->count] =
        (uint32_t)items->read->part.values[EPOCH_SAMPLE_VCPU][row];
    return sample_columns_add(columns, get_time(items->read, row), &who, call)
               ? XENOPROF_OK
               : XENOPROF_NO_MEMORY;
}

enum xenoprof_status samples_take(struct epoch_items *items,
                                  struct xenoprof_item *ret)
{
    const size_t count = items->read->part.count;
    enum xenoprof_status status;

    if ( items->row == 0 )
    {
        items->expected = 0;
        if ( !sample_columns_begin(&items->columns, count) )
            return XENOPROF_NO_MEMORY;
    }
    for ( ; items->row < count; items->row++ )
    {
        size_t ahead = items->row + CALLS_AHEAD;

        expect_rows(items, ahead < count ? ahead : count);
        status = take_row(items, items->row, ret);
        if ( status )
            return status == XENOPROF_END ? XENOPROF_OK : status;
    }
    return XENOPROF_END;
}

/* Returns what is noted of the domain of a sample's vCPU if its number was
 * another's up to here, or NULL. */
static const struct items_domain *changed_domain(struct epoch_items *items,
                                                 uint32_t vcpu, bool *done)
{
    uint32_t row = items->read->vcpus.items[vcpu - 1].domain;
    const struct read_domain *known = READ_FIND(items->read, domains, row);
    uint32_t domain = items_domain(items, row, done);
    const struct items_domain *noted;

    if ( !domain || domain > items->domains.count ||
         items->domain_now[known->number] == domain )
        return NULL;
    noted = &items->domains.items[domain - 1];
    return noted->name ? noted : NULL;
}

/* Returns XENOPROF_OK; XENOPROF_END if a domain is an item, *ret, that comes
 * before the sample; or XENOPROF_NO_MEMORY. */
static enum xenoprof_status check_domain(struct epoch_items *items, size_t row,
                                         struct xenoprof_item *ret)
{
    uint32_t vcpu = items->columns.vcpus[row];
    bool done = true;
    const struct items_domain *noted = changed_domain(items, vcpu, &done);

    if ( !noted )
        return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
    items_say_domain(items, items->read->vcpus.items[vcpu - 1].domain,
                     items->columns.times[row], noted->name, ret);
    return XENOPROF_END;
}

enum xenoprof_status samples_next(struct epoch_items *items,
                                  struct xenoprof_item *ret)
{
    enum xenoprof_status status;

    if ( items->row >= items->columns.count )
        return XENOPROF_END;
    status = check_domain(items, items->row, ret);
    if ( status )
        return status == XENOPROF_END ? XENOPROF_OK : status;
    sample_columns_one(&items->columns, items->row, ret);
    items->row++;
    items->steps++;
    return XENOPROF_OK;
}

/* Returns the end of the samples that come without an item before them. */
static size_t find_end(struct epoch_items *items, size_t row, bool *done)
{
    const struct sample_columns *columns = &items->columns;

    for ( row++; row < columns->count; row++ )
        if ( columns->vcpus[row] != columns->vcpus[row - 1] &&
             changed_domain(items, columns->vcpus[row], done) )
            break;
    return row;
}

enum xenoprof_status samples_next_columns(struct epoch_items *items,
                                          struct xenoprof_item *ret)
{
    size_t first = items->row;
    enum xenoprof_status status;
    bool done = true;

    if ( first >= items->columns.count )
        return XENOPROF_END;
    status = check_domain(items, first, ret);
    if ( status )
        return status == XENOPROF_END ? XENOPROF_OK : status;
    items->row = find_end(items, first, &done);
    items->steps += (items->row - first) * STEPS_SAMPLE;
    sample_columns_part(&items->columns, first, items->row, ret);
    return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}
