/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a block.  First they are put into columns, in which what they
 * ran is what the session calls it; places and stacks that are new are items.
 * Then samples are handed out, and before one of a domain whose number was
 * another's up to here, that is an item.
 */
#include "block-items.h"

#define STEPS_SAMPLE  14u
#define CALLS_AT_ONCE 32u

static size_t chain_length(const struct defined_tables *all, uint32_t node)
{
    size_t length = 0;

    for ( ; node;
          node = ((struct defined_node *)table_at(&all->nodes, node - 1))
                     ->key.parent )
        length++;
    return length;
}

/* Leaf first. */
static uint32_t *put_node_chain(const struct block_items *items, uint32_t node,
                                uint32_t *to)
{
    while ( node )
    {
        const struct defined_node *at = table_at(&items->all.nodes, node - 1);

        *to++ = at->key.place;
        node = at->key.parent;
    }
    return to;
}

static bool make_frames(struct block_items *items,
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
        to = put_node_chain(items, nodes[i], to);
    items->frames.count = count;
    items->steps += count;
    return true;
}

/* Returns whether these nodes are one frame.  *place: the first one's. */
static bool is_one_frame(const struct block_items *items,
                         const uint32_t nodes[CALL_CHAINS], uint32_t *place)
{
    const struct defined_node *node;
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
    *place = node->key.place;
    return chains == 1 && !node->key.parent;
}

/* Finds the call of the session's nodes.  Returns as get_call() does. */
static enum xenoprof_status find_call(struct block_items *items,
                                      const uint32_t nodes[CALL_CHAINS],
                                      uint32_t *call, struct xenoprof_item *ret)
{
    /* As nodes are: in the first file, no two that are asked for are alike. */
    struct items_stack *stack = items->indexed
                                    ? table_put(&items->stacks, nodes)
                                    : table_append(&items->stacks, nodes);
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
        new.stack = ++items->stack_count;
    if ( !sample_columns_call(&items->columns, &new, call) )
        return XENOPROF_NO_MEMORY;
    stack->call = *call + 1;
    if ( one )
        return XENOPROF_OK;
    /* The frames of a stack are an item. */
    if ( !make_frames(items, nodes) )
        return XENOPROF_NO_MEMORY;
    ret->kind = XENOPROF_ITEM_STACK;
    ret->u.stack.number = new.stack;
    ret->u.stack.places = items->frames.items;
    ret->u.stack.count = items->frames.count;
    return XENOPROF_END;
}

/* Some rows are looked at before they are needed. */
static void expect_rows(struct block_items *items, size_t end)
{
    uint32_t nodes[CALL_CHAINS];

    for ( ; items->expected < end; items->expected++ )
    {
        samples_nodes(items->read, items->expected, nodes);
        items->hashes[items->expected % CALLS_EXPECTED] = triple_hash(
            &items->calls, nodes);
        triple_expect(&items->calls,
                      items->hashes[items->expected % CALLS_EXPECTED]);
    }
}

/* Finds what these nodes of the file are in the session.  Returns as get_call()
 * does. */
static enum xenoprof_status make_call(struct block_items *items,
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
static enum xenoprof_status get_call(struct block_items *items, size_t row,
                                     uint32_t *call, struct xenoprof_item *ret)
{
    const size_t end = items->read->section.count,
                 expected = row + CALLS_EXPECTED;
    uint32_t nodes[CALL_CHAINS];

    expect_rows(items, expected < end ? expected : end);
    samples_nodes(items->read, row, nodes);
    *call = triple_find(&items->calls, nodes,
                        items->hashes[row % CALLS_EXPECTED]);
    return *call != TRIPLE_NONE ? XENOPROF_OK
                                : make_call(items, nodes, call, ret);
}

/* Puts times of rows from first to end into columns at their count. */
static void put_times(struct block_items *items, size_t first, size_t end)
{
    uint64_t *const *values = items->read->section.values;
    uint64_t *restrict times = items->columns.times + items->columns.count;
    const uint64_t *time = values[SESSION_SAMPLE_TIME];
    const uint64_t *scale = values[SESSION_SAMPLE_SCALE];

    for ( size_t i = first; i < end; i++ )
        *times++ = time[i] * (scale[i] ? scale[i] : 1);
}

#define CHUNK 64u /* rows: a compiler makes vector code of so many */

/* The same of their seconds. */
static void put_seconds(struct block_items *items, size_t first, size_t end)
{
    const uint64_t *restrict second =
        items->read->section.values[SESSION_SAMPLE_SECOND] + first;
    uint32_t *restrict seconds = items->columns.seconds + items->columns.count;
    const size_t count = end - first;
    size_t i = 0;

    for ( ; i + CHUNK <= count; i += CHUNK )
        for ( size_t j = 0; j < CHUNK; j++ )
            seconds[i + j] = (uint32_t)second[i + j];
    for ( ; i < count; i++ )
        seconds[i] = (uint32_t)second[i];
}

/* The same of their vCPUs. */
static void put_vcpus(struct block_items *items, size_t first, size_t end)
{
    const uint64_t *vcpu = items->read->section.values[SESSION_SAMPLE_VCPU];
    uint32_t *restrict vcpus = items->columns.vcpus + items->columns.count;

    for ( size_t i = first; i < end; i++ )
        *vcpus++ = (uint32_t)vcpu[i];
}

/* Rows of whom nothing is known are left out. */
static void drop_unknown_rows(struct sample_columns *columns, bool changes)
{
    size_t kept = 0;

    for ( size_t i = 0; i < columns->count; i++ )
    {
        columns->times[kept] = columns->times[i];
        columns->seconds[kept] = columns->seconds[i];
        if ( changes )
            columns->vcpus[kept] = columns->vcpus[i];
        columns->whos[kept] = columns->whos[i];
        columns->calls[kept] = columns->calls[i];
        columns->on_vcpus[kept] = columns->on_vcpus[i];
        columns->on_pcpus[kept] = columns->on_pcpus[i];
        kept += columns->whos[i] != WHO_UNKNOWN;
    }
    columns->count = kept;
}

/* Some rows, whose memory in the table of calls is asked for at once. */
struct call_run {
    size_t first, count;
    uint32_t nodes[CALLS_AT_ONCE][CALL_CHAINS];
    uint32_t hashes[CALLS_AT_ONCE];
    bool again[CALLS_AT_ONCE]; /* as the row before */
};

static void expect_calls(const struct block_items *items, struct call_run *run)
{
    const struct reader_tables *read = items->read;
    uint32_t xen_before = 0, kernel_before = 0, user_before = 0;

    for ( size_t i = 0; i < run->count; i++ )
    {
        size_t row = run->first + i;
        uint32_t xen = samples_node(read, row, SESSION_SAMPLE_XEN);
        uint32_t kernel = samples_node(read, row, SESSION_SAMPLE_KERNEL);
        uint32_t user = samples_node(read, row, SESSION_SAMPLE_USER);

        run->hashes[i] = triple_hash_of(&items->calls, xen, kernel, user);
        triple_expect(&items->calls, run->hashes[i]);
        run->again[i] = i && xen == xen_before && kernel == kernel_before &&
                        user == user_before;
        run->nodes[i][0] = xen_before = xen;
        run->nodes[i][1] = kernel_before = kernel;
        run->nodes[i][2] = user_before = user;
    }
}

/* Finds what the rows ran.  Returns false if there is no memory. */
static bool find_calls(struct block_items *items, const struct call_run *run)
{
    const uint32_t *whos = items->columns.whos + run->first;
    uint32_t *calls = items->columns.calls + run->first;

    for ( size_t i = 0; i < run->count; i++ )
    {
        const uint32_t *nodes = run->nodes[i];

        calls[i] = run->again[i]
                       ? calls[i - 1]
                       : triple_find(&items->calls, nodes, run->hashes[i]);
        if ( calls[i] == TRIPLE_NONE && whos[i] != WHO_UNKNOWN &&
             !chain_call(items, nodes, &calls[i]) )
            return false;
    }
    return true;
}

static bool take_sample_chains(struct block_items *items)
{
    const size_t end = items->columns.count;
    struct call_run run = {.first = 0};

    for ( ; run.first < end; run.first += run.count )
    {
        run.count = end - run.first < CALLS_AT_ONCE ? end - run.first
                                                    : CALLS_AT_ONCE;
        expect_calls(items, &run);
        if ( !find_calls(items, &run) )
            return false;
    }
    return true;
}

/* Puts what the rows ran into its column.  Returns false if there is no
 * memory. */
static bool take_calls(struct block_items *items)
{
    switch ( items->wanted )
    {
    case ITEMS_LEAVES: return leaves_take(items);
    case ITEMS_KINDS: return kinds_take(items);
    case ITEMS_WHO: return true;
    default: return take_sample_chains(items);
    }
}

/* All rows at once, a column after the other.  Returns false if there is no
 * memory. */
static bool take_sample_rows(struct block_items *items)
{
    struct sample_columns *columns = &items->columns;
    const size_t count = items->read->section.count;
    bool known = true;

    if ( !columns->timeless )
        put_times(items, 0, count);
    put_seconds(items, 0, count);
    columns->apart = items->pcpus_apart && whos_are_busy(items);
    if ( columns->apart && !whos_set_apart(items) )
        return false;
    if ( !whos_find(items, &known) )
        return false;
    if ( items->changes )
        put_vcpus(items, 0, count);
    columns->count = count;
    if ( !take_calls(items) )
        return false;
    if ( !known )
        drop_unknown_rows(columns, items->changes);
    return true;
}

/* Puts a row into the columns.  Returns as get_call() does. */
static enum xenoprof_status take_sample_row(struct block_items *items,
                                            size_t row,
                                            struct xenoprof_item *ret)
{
    struct sample_columns *columns = &items->columns;
    enum xenoprof_status status;
    bool known = true;

    put_times(items, row, row + 1);
    put_seconds(items, row, row + 1);
    put_vcpus(items, row, row + 1);
    if ( !whos_find_some(items, row, row + 1, columns->whos + columns->count,
                         &known) )
        return XENOPROF_NO_MEMORY;
    if ( !known )
        return XENOPROF_OK;
    status = get_call(items, row, &columns->calls[columns->count], ret);
    columns->count += !status;
    return status;
}

enum xenoprof_status samples_take(struct block_items *items,
                                  struct xenoprof_item *ret)
{
    const bool summed = items->columns.summed;
    const size_t count = summed ? items->read->rows[SESSION_TABLE_TICKS].count /
                                      TICKS_WIDTH
                                : items->read->section.count;
    enum xenoprof_status status;

    if ( items->row == 0 )
    {
        items->expected = 0;
        items->changes = false;
        if ( !sample_columns_begin(&items->columns, count) )
            return XENOPROF_NO_MEMORY;
    }
    if ( summed )
        return whos_take_ticks(items) ? XENOPROF_END : XENOPROF_NO_MEMORY;
    if ( count && items->wanted != ITEMS_ONES )
        return take_sample_rows(items) ? XENOPROF_END : XENOPROF_NO_MEMORY;
    for ( ; items->row < count; items->row++ )
    {
        status = take_sample_row(items, items->row, ret);
        if ( status )
            return status == XENOPROF_END ? XENOPROF_OK : status;
    }
    return XENOPROF_END;
}

/* Returns XENOPROF_OK; XENOPROF_END if a domain is an item, *ret, that comes
 * before the sample; or XENOPROF_NO_MEMORY. */
static enum xenoprof_status check_sample_domain(struct block_items *items,
                                                size_t row,
                                                struct xenoprof_item *ret)
{
    const struct sample_columns *columns = &items->columns;
    uint32_t vcpu = columns->vcpus[row];
    bool done = true;
    const struct items_domain *noted = whos_changed_domain(items, vcpu, &done);

    if ( !noted )
        return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
    items_say_domain(items, items->read->vcpus.items[vcpu - 1].domain,
                     sample_columns_timed(columns) ? columns->times[row]
                                                   : columns->first,
                     noted->name, ret);
    ret->u.domain.again = true;
    return XENOPROF_END;
}

enum xenoprof_status samples_next(struct block_items *items,
                                  struct xenoprof_item *ret)
{
    enum xenoprof_status status;

    if ( items->row >= items->columns.count )
        return XENOPROF_END;
    status = check_sample_domain(items, items->row, ret);
    if ( status )
        return status == XENOPROF_END ? XENOPROF_OK : status;
    sample_columns_one(&items->columns, items->row, ret);
    items->row++;
    items->steps++;
    return XENOPROF_OK;
}

/* Returns the end of the samples that come without an item before them. */
static size_t find_run_end(struct block_items *items, size_t row, bool *done)
{
    const struct sample_columns *columns = &items->columns;

    if ( !items->changes )
        return columns->count;
    for ( row++; row < columns->count; row++ )
        if ( columns->vcpus[row] != columns->vcpus[row - 1] &&
             whos_changed_domain(items, columns->vcpus[row], done) )
            break;
    return row;
}

enum xenoprof_status samples_next_columns(struct block_items *items,
                                          struct xenoprof_item *ret)
{
    size_t first = items->row;
    enum xenoprof_status status;
    bool done = true;

    if ( first >= items->columns.count )
        return XENOPROF_END;
    status = items->changes ? check_sample_domain(items, first, ret)
                            : XENOPROF_OK;
    if ( status )
        return status == XENOPROF_END ? XENOPROF_OK : status;
    items->row = find_run_end(items, first, &done);
    items->steps += (items->row - first) * STEPS_SAMPLE;
    sample_columns_range(&items->columns, first, items->row, ret);
    return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}
