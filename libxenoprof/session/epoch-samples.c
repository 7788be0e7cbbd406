/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a block.  First they are put into columns, in which what they
 * ran is what the session calls it; places and stacks that are new are items.
 * Then samples are handed out, and before one of a domain whose number was
 * another's up to here, that is an item.
 */
#include "epoch-items.h"

#define STEPS_SAMPLE  14u
#define CALLS_AT_ONCE 32u

#define STEPS_WHO 80u /* who it is of is not known yet */

#define STEP_DOMAINS 16u /* numbers by domain that are cleared in a step */

#define WHO_MIX 0x9e3779b97f4a7c15u

/* A block's dense whos: at most so many for each row, and some. */
#define DENSE_EACH 8u
#define DENSE_MORE 256u

/* In it there are numbers and 2. */
#define DENSE_NONE  0u /* not looked for yet */
#define DENSE_FIRST 2u

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

/* Some rows are looked at before they are needed. */
static void expect_rows(struct epoch_items *items, size_t end)
{
    uint32_t nodes[CALL_CHAINS];

    for ( ; items->expected < end; items->expected++ )
    {
        samples_nodes(items->read, items->expected, nodes);
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

/* Returns who ran in the guest; nothing if that is not known. */
static struct xenoprof_thread get_thread(const struct epoch_read *read,
                                         uint64_t number)
{
    const struct xenoprof_thread *thread = READ_FIND(read, threads, number);

    return thread && *thread->comm ? *thread
                                   : (struct xenoprof_thread){.comm = ""};
}

/* Returns how many units of its type a sample stands for. */
static uint64_t get_count(const struct read_shape *shape, uint16_t type)
{
    if ( type < XENOPROF_TYPE_EVENT )
        return (uint64_t)shape->weight * (uint32_t)shape->period;
    return shape->period < XENOPROF_COUNT_MAX ? shape->period
                                              : XENOPROF_COUNT_MAX;
}

/* Returns false for a sample of which a lost block said who or what it is;
 * apart: on which vCPU it ran is said elsewhere. */
static bool get_who(const struct epoch_read *read, size_t row, bool apart,
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

    uint16_t type;

    if ( !shape || !shape->known || !domain || !domain->known ||
         !epoch_read_type(read, shape->type, &type) )
        return false;
    *ret = (struct xenoprof_who){
        .domain = domain->number,
        .vcpu = apart ? 0 : vcpu->number,
        .pcpu = (uint16_t)values[EPOCH_SAMPLE_PCPU][row],
        .mode = shape->mode,
        .weight = shape->weight,
        .marks = shape->marks,
        .period = type < XENOPROF_TYPE_EVENT ? (uint32_t)shape->period : 0,
        .entry = get_entry(read, shape),
        .thread = get_thread(read, values[EPOCH_SAMPLE_THREAD][row]),
        .count = get_count(shape, type),
        .type = type,
    };
    return true;
}

/* Returns what is noted of the domain of this vCPU of the file if its number
 * was another's up to here, or NULL.  *done becomes false if there is no
 * memory. */
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

/* Finds who a row is of: a number, or WHO_UNKNOWN.  Returns false if there is
 * no memory. */
static bool put_who(struct epoch_items *items, size_t row, uint32_t *ret)
{
    uint64_t vcpu = items->read->part.values[EPOCH_SAMPLE_VCPU][row];
    struct xenoprof_who who;
    bool done = true;

    items->steps += STEPS_WHO;
    *ret = WHO_UNKNOWN;
    if ( !get_who(items->read, row, items->columns.apart, &who) )
        return true;
    items->changes |= changed_domain(items, (uint32_t)vcpu, &done) != NULL;
    return done && sample_columns_who(&items->columns, &who, ret);
}

/* What a row says of who it is of, in one number.  No domain, vCPU or shape has
 * a number that is too large for that. */
static inline uint64_t who_key(uint64_t shape, uint64_t vcpu, uint64_t pcpu)
{
    return (shape | vcpu) >> 24 ? 0 : shape << 40 | vcpu << 16 | (uint16_t)pcpu;
}

/* Puts the numbers of who rows from first to end are of into a column, or
 * WHO_UNKNOWN; *known becomes false if there is one of these, and
 * items->changes true if a domain's number was another's up to here.  Returns
 * false if there is no memory. */
static bool find_whos(struct epoch_items *items, size_t first, size_t end,
                      uint32_t *restrict whos, bool *known)
{
    uint64_t *const *values = items->read->part.values;
    const uint64_t *shapes = values[EPOCH_SAMPLE_SHAPE];
    const uint64_t *vcpus = values[EPOCH_SAMPLE_VCPU];
    const uint64_t *pcpus = values[EPOCH_SAMPLE_PCPU];
    const uint64_t *threads = values[EPOCH_SAMPLE_THREAD];
    const uint32_t turn = items->turn;

    for ( size_t i = first; i < end; i++ )
    {
        uint64_t key = who_key(shapes[i], vcpus[i], pcpus[i]);
        uint64_t mixed = (key + (threads[i] << 32)) * WHO_MIX;
        struct items_who *who = &items->whos[mixed >> (64 - WHO_BITS)];

        if ( who->key != key || who->thread != threads[i] || who->turn != turn )
        {
            *who = (struct items_who){key, threads[i], turn, WHO_UNKNOWN};
            if ( !put_who(items, i, &who->who) )
                return false;
        }
        *known &= who->who != WHO_UNKNOWN;
        *whos++ = who->who;
    }
    return true;
}

/* A power of two that no value of a column reaches. */
static uint64_t range_of(const uint64_t *values, size_t count)
{
    uint64_t all = 0;
    size_t i = 0;

    for ( ; i + 4 <= count; i += 4 )
        all |= values[i] | values[i + 1] | values[i + 2] | values[i + 3];
    for ( ; i < count; i++ )
        all |= values[i];
    return all ? 2ull << (63 - __builtin_clzll(all)) : 1;
}

/* What says who a row is of, as digits of one number. */
static const unsigned int who_columns[WHO_COLUMNS] = {
    EPOCH_SAMPLE_SHAPE, EPOCH_SAMPLE_VCPU, EPOCH_SAMPLE_PCPU,
    EPOCH_SAMPLE_THREAD};

/* Sets the ranges of the block's digits.  Returns how many numbers they make,
 * or 0 if these are too many for a table of them. */
static size_t dense_size(const struct epoch_read *read,
                         uint64_t ranges[WHO_COLUMNS])
{
    const size_t count = read->part.count;
    const uint64_t most = DENSE_EACH * count + DENSE_MORE;
    uint64_t size = 1;

    for ( unsigned int i = 0; i < WHO_COLUMNS; i++ )
    {
        ranges[i] = range_of(read->part.values[who_columns[i]], count);
        if ( !ranges[i] || ranges[i] > most / size )
            return 0;
        size *= ranges[i];
    }
    return (size_t)size;
}

/* Returns a map of so many numbers, all 0, or NULL if there is no memory. */
static uint32_t *clear_map(struct items_map *map, size_t size)
{
    map->count = 0;
    if ( !vector_reserve(map, size) )
        return NULL;
    return memset(map->items, 0, size * sizeof(*map->items));
}

/* As find_whos() does of all of a block's rows. */
static bool find_dense(struct epoch_items *items,
                       const uint64_t ranges[WHO_COLUMNS],
                       uint32_t *restrict whos, bool *known)
{
    uint64_t *const *values = items->read->part.values;
    const uint64_t *shapes = values[EPOCH_SAMPLE_SHAPE];
    const uint64_t *vcpus = values[EPOCH_SAMPLE_VCPU];
    const uint64_t *pcpus = values[EPOCH_SAMPLE_PCPU];
    const uint64_t *threads = values[EPOCH_SAMPLE_THREAD];
    const uint64_t vcpu_range = ranges[1], pcpu_range = ranges[2];
    const uint64_t thread_range = ranges[3];
    const size_t count = items->read->part.count;
    uint32_t *dense = items->dense.items;

    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t at = (shapes[i] * vcpu_range + vcpus[i]) * pcpu_range +
                      pcpus[i];
        uint32_t *who = &dense[at * thread_range + threads[i]];

        if ( *who == DENSE_NONE )
        {
            if ( !put_who(items, i, who) )
                return false;
            *known &= *who != WHO_UNKNOWN;
            *who += DENSE_FIRST;
        }
        whos[i] = *who - DENSE_FIRST;
    }
    return true;
}

/* The same for all of the block's rows.  Few are told apart, and what tells
 * them apart are small numbers most often: these are digits of one, at which a
 * table of the block has who that is.  Where they make too large a table, as on
 * a large host, those that came lately are found by a hash. */
static bool find_all_whos(struct epoch_items *items, bool *known)
{
    uint64_t ranges[WHO_COLUMNS];
    size_t size = dense_size(items->read, ranges);

    if ( !size )
        return find_whos(items, 0, items->read->part.count, items->columns.whos,
                         known);
    return clear_map(&items->dense, size) &&
           find_dense(items, ranges, items->columns.whos, known);
}

/* Whether all shapes are of time in which pCPUs worked. */
static bool are_busy(struct epoch_items *items)
{
    const struct epoch_read *read = items->read;
    uint16_t type;

    items->steps += read->shapes.count;
    for ( size_t i = 0; i < read->shapes.count; i++ )
        if ( !epoch_read_type(read, read->shapes.items[i].type, &type) ||
             type != XENOPROF_TYPE_TIME ||
             read->shapes.items[i].mode == XENOPROF_MODE_IDLE )
            return false;
    return true;
}

/* Puts where samples ran into columns.  What is left of it is the same for all
 * vCPUs of a domain: the first one of the block, and no pCPU.  Returns false if
 * there is no memory. */
static bool set_apart(struct epoch_items *items)
{
    const struct epoch_read *read = items->read;
    uint64_t *vcpus = read->part.values[EPOCH_SAMPLE_VCPU];
    uint64_t *pcpus = read->part.values[EPOCH_SAMPLE_PCPU];
    uint32_t *first = clear_map(&items->first_vcpus, read->domains.count + 1);

    items->steps += read->domains.count / STEP_DOMAINS;
    for ( size_t i = 0; first && i < read->part.count; i++ )
    {
        const struct read_vcpu *vcpu = READ_FIND(read, vcpus, vcpus[i]);

        items->columns.on_pcpus[i] = (uint16_t)pcpus[i];
        pcpus[i] = 0;
        if ( !vcpu || vcpu->domain > read->domains.count )
            continue;
        items->columns.on_vcpus[i] = vcpu->number;
        if ( !first[vcpu->domain] )
            first[vcpu->domain] = (uint32_t)vcpus[i];
        vcpus[i] = first[vcpu->domain];
    }
    return first;
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
    const size_t end = items->read->part.count, ahead = row + CALLS_AHEAD;
    uint32_t nodes[CALL_CHAINS];

    expect_rows(items, ahead < end ? ahead : end);
    samples_nodes(items->read, row, nodes);
    *call = triple_find(&items->calls, nodes, items->hashes[row % CALLS_AHEAD]);
    return *call != TRIPLE_NONE ? XENOPROF_OK
                                : make_call(items, nodes, call, ret);
}

/* Puts times of rows from first to end into columns at their count. */
static void put_times(struct epoch_items *items, size_t first, size_t end)
{
    uint64_t *const *values = items->read->part.values;
    uint64_t *restrict times = items->columns.times + items->columns.count;
    const uint64_t *time = values[EPOCH_SAMPLE_TIME];
    const uint64_t *scale = values[EPOCH_SAMPLE_SCALE];

    for ( size_t i = first; i < end; i++ )
        *times++ = time[i] * (scale[i] ? scale[i] : 1);
}

/* The same of the seconds that times lie in, behind that of the block's first:
 * an older writer left it to the reader to find them. */
static void put_seconds(struct epoch_items *items, size_t first, size_t end)
{
    uint64_t *const *values = items->read->part.values;
    const uint64_t *second = values[EPOCH_SAMPLE_SECOND];
    const uint64_t *time = values[EPOCH_SAMPLE_TIME];
    const uint64_t *scale = values[EPOCH_SAMPLE_SCALE];
    const uint64_t begin = items->columns.first / XENOPROF_SECOND;
    uint32_t *restrict seconds = items->columns.seconds + items->columns.count;

    if ( items->read->part.there >> EPOCH_SAMPLE_SECOND & 1 )
        for ( size_t i = first; i < end; i++ )
            *seconds++ = (uint32_t)second[i] - 1;
    else
        for ( size_t i = first; i < end; i++ )
            *seconds++ = (uint32_t)(time[i] * (scale[i] ? scale[i] : 1) /
                                        XENOPROF_SECOND -
                                    begin);
}

/* The same of their vCPUs. */
static void put_vcpus(struct epoch_items *items, size_t first, size_t end)
{
    const uint64_t *vcpu = items->read->part.values[EPOCH_SAMPLE_VCPU];
    uint32_t *restrict vcpus = items->columns.vcpus + items->columns.count;

    for ( size_t i = first; i < end; i++ )
        *vcpus++ = (uint32_t)vcpu[i];
}

/* Rows of whom nothing is known are left out. */
static void leave_out(struct sample_columns *columns, bool changes)
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

static void expect_calls(const struct epoch_items *items, struct call_run *run)
{
    const struct epoch_read *read = items->read;
    uint32_t xen_before = 0, kernel_before = 0, user_before = 0;

    for ( size_t i = 0; i < run->count; i++ )
    {
        size_t row = run->first + i;
        uint32_t xen = samples_node(read, row, EPOCH_SAMPLE_XEN);
        uint32_t kernel = samples_node(read, row, EPOCH_SAMPLE_KERNEL);
        uint32_t user = samples_node(read, row, EPOCH_SAMPLE_USER);

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
static bool find_calls(struct epoch_items *items, const struct call_run *run)
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

static bool take_chains(struct epoch_items *items)
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
static bool take_calls(struct epoch_items *items)
{
    switch ( items->wanted )
    {
    case ITEMS_LEAVES: return leaves_take(items);
    case ITEMS_KINDS: return kinds_take(items);
    case ITEMS_WHO: return true;
    default: return take_chains(items);
    }
}

/* All rows at once, a column after the other.  Returns false if there is no
 * memory. */
static bool take_rows(struct epoch_items *items)
{
    struct sample_columns *columns = &items->columns;
    const size_t count = items->read->part.count;
    bool known = true;

    if ( !columns->timeless )
        put_times(items, 0, count);
    put_seconds(items, 0, count);
    if ( items->wanted == ITEMS_WHO )
        memset(items->read->part.values[EPOCH_SAMPLE_THREAD], 0,
               count * sizeof(uint64_t));
    columns->apart = items->pcpus_apart && are_busy(items);
    if ( columns->apart && !set_apart(items) )
        return false;
    if ( !find_all_whos(items, &known) )
        return false;
    if ( items->changes )
        put_vcpus(items, 0, count);
    columns->count = count;
    if ( !take_calls(items) )
        return false;
    if ( !known )
        leave_out(columns, items->changes);
    return true;
}

/* Puts a row into the columns.  Returns as get_call() does. */
static enum xenoprof_status take_row(struct epoch_items *items, size_t row,
                                     struct xenoprof_item *ret)
{
    struct sample_columns *columns = &items->columns;
    enum xenoprof_status status;
    bool known = true;

    put_times(items, row, row + 1);
    put_seconds(items, row, row + 1);
    put_vcpus(items, row, row + 1);
    if ( !find_whos(items, row, row + 1, columns->whos + columns->count,
                    &known) )
        return XENOPROF_NO_MEMORY;
    if ( !known )
        return XENOPROF_OK;
    status = get_call(items, row, &columns->calls[columns->count], ret);
    columns->count += !status;
    return status;
}

enum xenoprof_status samples_take(struct epoch_items *items,
                                  struct xenoprof_item *ret)
{
    const size_t count = items->read->part.count;
    enum xenoprof_status status;

    if ( items->row == 0 )
    {
        items->expected = 0;
        items->changes = false;
        if ( !sample_columns_begin(&items->columns, count) )
            return XENOPROF_NO_MEMORY;
    }
    if ( count && items->wanted != ITEMS_ONES )
        return take_rows(items) ? XENOPROF_END : XENOPROF_NO_MEMORY;
    for ( ; items->row < count; items->row++ )
    {
        status = take_row(items, items->row, ret);
        if ( status )
            return status == XENOPROF_END ? XENOPROF_OK : status;
    }
    return XENOPROF_END;
}

/* Returns XENOPROF_OK; XENOPROF_END if a domain is an item, *ret, that comes
 * before the sample; or XENOPROF_NO_MEMORY. */
static enum xenoprof_status check_domain(struct epoch_items *items, size_t row,
                                         struct xenoprof_item *ret)
{
    const struct sample_columns *columns = &items->columns;
    uint32_t vcpu = columns->vcpus[row];
    bool done = true;
    const struct items_domain *noted = changed_domain(items, vcpu, &done);

    if ( !noted )
        return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
    items_say_domain(items, items->read->vcpus.items[vcpu - 1].domain,
                     columns->timeless ? columns->first : columns->times[row],
                     noted->name, ret);
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

    if ( !items->changes )
        return columns->count;
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
    status = items->changes ? check_domain(items, first, ret) : XENOPROF_OK;
    if ( status )
        return status == XENOPROF_END ? XENOPROF_OK : status;
    items->row = find_end(items, first, &done);
    items->steps += (items->row - first) * STEPS_SAMPLE;
    sample_columns_part(&items->columns, first, items->row, ret);
    return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}
