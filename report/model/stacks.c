/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include "base/must.h"
#include "base/triple-table.h"

#include <stdlib.h>
#include <string.h>

#define NAMED_FIRST 1024u
#define AHEAD       16u /* cells for whose chains memory is asked at once */
#define MODE_BITS   3u  /* of an enum xenoprof_mode */

/* Which frame a place is.  A domain's kernel may have been named by whom the
 * report is for; what is not a kernel's is the same in all domains. */
struct named_place {
    uint32_t domain;
    uint32_t frame; /* number + 1; 0: not known yet */
};

#define ALL_DOMAINS UINT32_MAX

struct domain_stack {
    struct {
        uint32_t domain; /* index into loaded.domains */
        uint32_t call;   /* number; 0: none */
        uint32_t comm;   /* of frames of the thread, if there are such */
        uint16_t mode;
        uint16_t ended; /* enum xenoprof_ended */
    } key;
    uint32_t chain; /* index + 1; 0: not put together yet */
};

/* What nodes are on a chain that many begin with: nothing, or a mark. */
struct chain_base {
    uint32_t chain;
    uint32_t *grafts; /* by node: index of what it leads to; 0: not known */
};

/* Of the nodes that are on a chain with few others beside them, which are most
 * of what there is to note, one of so many above each other is noted. */
#define GRAFTS_APART 4u

#define BASES (FRAME_GUEST + 1u) /* as many as there are marks, and one */

/* What one build takes from one step to the next. */
struct stack_builder {
    struct stacks *stacks;
    struct loaded *loaded;
    const struct kernels *kernels;
    struct chain_base bases[BASES];
    size_t base_count;
    struct domain_stack *first; /* of each call: most are seen in one domain,
                                   one mode, with one end */
    struct domain_stack last;   /* what came last */
    uint32_t marks[BASES];      /* chains of these, and 1; 0: not made yet */
    struct {
        VECTOR(uint32_t);
    } child; /* by chain: the only one that was called from it */
    struct triple_table grafts; /* which chain a node is on another one */
    struct {
        VECTOR(uint32_t);
    } path;             /* nodes that have no chain yet */
    struct names comms; /* that frames have */
};

static void put_stack_frame(struct stacks *stacks, const struct frame_key *key,
                            uint64_t start, uint32_t *ret)
{
    struct frame *frame = must(table_put(&stacks->frames, key));

    frame->several = frame->several ||
                     (frame->start && start && start != frame->start);
    if ( start )
        frame->start = frame->several ? 0 : start;
    *ret = (uint32_t)table_index(&stacks->frames, frame);
}

/* A frame of which nothing else is known. */
static void mark_frame(struct stacks *stacks, enum frame_kind kind,
                       uint8_t mode, uint32_t *ret)
{
    struct frame_key key;

    memset(&key, 0, sizeof(key));
    key.kind = (uint8_t)kind;
    key.mode = mode;
    put_stack_frame(stacks, &key, 0, ret);
}

static void code_frame(struct stacks *stacks, const struct place_name *name,
                       uint8_t mode, uint32_t *ret)
{
    struct frame_key key;

    memset(&key, 0, sizeof(key));
    key.image = name->image;
    key.mode = mode;
    key.area = (uint8_t)area_of(&stacks->areas, mode, name);
    if ( stacks->detail == FRAMES_BY_IMAGE && name->image )
    {
        put_stack_frame(stacks, &key, 0, ret);
        return;
    }
    key.symbol = name->symbol;
    if ( stacks->detail == FRAMES_BY_ADDRESS )
        key.area = AREA_NONE;
    if ( stacks->detail == FRAMES_BY_ADDRESS || (!key.symbol && !key.area) )
        key.address = name->address;
    if ( stacks->detail >= FRAMES_BY_LINE )
    {
        key.path = name->path;
        key.line = name->line;
    }
    put_stack_frame(stacks, &key, name->symbol ? name->start : name->address,
                    ret);
}

/* All code of a process that has no name. */
static void user_frame(const struct stack_builder *builder, uint32_t image,
                       uint32_t comm, uint32_t *ret)
{
    struct frame_key key;

    memset(&key, 0, sizeof(key));
    key.image = image;
    key.mode = XENOPROF_MODE_USER;
    if ( builder->stacks->detail != FRAMES_BY_IMAGE || !image )
    {
        key.area = AREA_USER;
        key.comm = image_names_owner(builder->loaded, image) ? 0 : comm;
    }
    put_stack_frame(builder->stacks, &key, 0, ret);
}

/* The frame of a place in a domain; mode is the sample's, for a place that is
 * not known. */
static void place_frame(struct stack_builder *builder, uint32_t domain,
                        uint32_t number, uint8_t mode, uint32_t *ret)
{
    /* Numbers of places that are far apart have no room. */
    struct named_place *named = number < builder->stacks->named_count
                                    ? &builder->stacks->named[number]
                                    : NULL;
    const struct loaded_place *place;
    struct place_name name;

    if ( named && named->frame &&
         (named->domain == ALL_DOMAINS || named->domain == domain) )
    {
        *ret = named->frame - 1;
        return;
    }
    place = loaded_numbered(&builder->loaded->places, number);
    if ( !place || (!place->name.address && !place->name.symbol) )
    {
        mark_frame(builder->stacks, FRAME_UNKNOWN, place ? place->mode : mode,
                   ret);
        return;
    }
    name_place(builder->loaded, builder->kernels, domain,
               (uint32_t)place->key.number, &name);
    code_frame(builder->stacks, &name, place->mode, ret);
    if ( named )
        *named = (struct named_place){
            place->mode == XENOPROF_MODE_KERNEL ? domain : ALL_DOMAINS,
            *ret + 1};
}

/* Returns a chain, made if there is none; its parent is chain. */
static struct chain *put_chain(struct stack_builder *builder,
                               const struct chain *key, uint32_t chain)
{
    struct table *chains = &builder->stacks->chains;
    const size_t before = chains->count;
    struct chain *to = must(
        table_put_only(chains, &builder->child.items[chain], key, 0));

    if ( chains->count > before )
        must(vector_add(&builder->child));
    return to;
}

/* Returns the chain of a frame that was called from another chain. */
static uint32_t add_frame_to(struct stack_builder *builder, uint32_t chain,
                             uint32_t frame)
{
    const struct stacks *stacks = builder->stacks;
    const struct chain *from = stacks_chain(stacks, chain);
    const struct chain key = {.key = {chain, frame}};
    uint32_t count = from->count;
    struct chain *to;

    /* One image that calls itself is one frame, and so is what has no name. */
    if ( from->key.frame == frame &&
         (stacks->detail == FRAMES_BY_IMAGE ||
          stacks_frame(stacks, frame)->key.area == AREA_USER) )
        return chain;
    to = put_chain(builder, &key, chain);
    to->count = count + 1;
    return (uint32_t)table_index(&stacks->chains, to);
}

/* What stands in place of what is missing at the root; FRAME_CODE: nothing. */
static enum frame_kind missing_at_root(const struct domain_stack *seen)
{
    if ( chain_is_truncated((uint8_t)seen->key.ended, (uint8_t)seen->key.mode) )
        return FRAME_TRUNCATED;
    if ( seen->key.ended == XENOPROF_ENDED_MOVED )
        return FRAME_MOVED;
    return seen->key.ended == XENOPROF_ENDED_ROOT ? FRAME_CODE : FRAME_GUEST;
}

/* The chain that stands for what is missing: none, or a mark. */
static uint32_t begin_chain(struct stack_builder *builder,
                            const struct domain_stack *seen)
{
    enum frame_kind kind = missing_at_root(seen);
    uint32_t frame;

    if ( kind == FRAME_CODE )
        return CHAIN_EMPTY;
    if ( !builder->marks[kind] )
    {
        mark_frame(builder->stacks, kind, 0, &frame);
        builder->marks[kind] = add_frame_to(builder, CHAIN_EMPTY, frame) + 1;
    }
    return builder->marks[kind] - 1;
}

static const struct spot_node *builder_node(const struct stack_builder *builder,
                                            uint32_t node)
{
    return table_at(&builder->loaded->nodes, node - 1);
}

/* Returns the grafts on a chain that many begin with, or NULL if it is another
 * one. */
static uint32_t *base_grafts(const struct stack_builder *builder,
                             uint32_t chain)
{
    for ( size_t i = 0; i < builder->base_count; i++ )
        if ( builder->bases[i].chain == chain )
            return builder->bases[i].grafts;
    return NULL;
}

/* Where it is noted which chain a node is on a base: at a place of its own, or,
 * returning NULL, in grafts by ret.  A frame may depend on the domain, if
 * kernels were named for that, on the thread, if it has no other name, and on
 * the sample's mode, if it is not known. */
static uint32_t *graft_of(const struct stack_builder *builder,
                          const struct domain_stack *seen, uint32_t node,
                          uint32_t base, uint32_t ret[TRIPLE])
{
    const struct spot_node *at = builder_node(builder, node);
    const bool named = builder->kernels->count;
    uint32_t *grafts = base_grafts(builder, base);

    if ( grafts && !at->unknown && !named && !at->threads )
        return &grafts[node];
    ret[0] = node;
    ret[1] = base;
    ret[2] = (at->threads ? seen->key.comm
              : named     ? seen->key.domain
                          : 0)
             << MODE_BITS;
    ret[2] |= at->unknown ? seen->key.mode : 0;
    return NULL;
}

/* What depends on both domain and thread is not, which is rare. */
static bool is_noted(const struct stack_builder *builder, uint32_t node)
{
    const struct spot_node *at = builder_node(builder, node);

    return at->depth % GRAFTS_APART == 0 &&
           !(at->threads && builder->kernels->count);
}

/* Returns the chain that a node makes of another one, or 0 if that is not known
 * yet. */
static uint32_t find_graft(const struct stack_builder *builder,
                           const struct domain_stack *seen, uint32_t node,
                           uint32_t base)
{
    uint32_t key[TRIPLE], found;
    const uint32_t *own = graft_of(builder, seen, node, base, key);

    if ( own )
        return *own;
    if ( !is_noted(builder, node) )
        return 0;
    found = triple_find(&builder->grafts, key,
                        triple_hash(&builder->grafts, key));
    return found != TRIPLE_NONE ? found : 0;
}

static void note_graft(struct stack_builder *builder,
                       const struct domain_stack *seen, uint32_t node,
                       uint32_t base, uint32_t chain)
{
    uint32_t key[TRIPLE];
    uint32_t *own = graft_of(builder, seen, node, base, key);

    if ( !own )
    {
        if ( is_noted(builder, node) )
            must_do(triple_add(&builder->grafts, key, chain));
        return;
    }
    *own = chain;
}

/* The frame of a node, but not of its callers. */
static void node_frame(struct stack_builder *builder,
                       const struct domain_stack *seen, uint32_t node,
                       uint32_t *ret)
{
    const struct table *spots = &builder->loaded->spots;
    const uint32_t number = builder_node(builder, node)->key.spot;
    const struct spot *spot = number ? table_at(spots, number - 1) : NULL;

    if ( spot && spot_is_user(spot) )
    {
        user_frame(builder, spot->key.image, seen->key.comm, ret);
        return;
    }
    place_frame(builder, seen->key.domain, spot ? spot->place : 0,
                (uint8_t)seen->key.mode, ret);
}

/* Puts a node, its callers below it, on a chain: from the leaf on, up to what
 * is on it already.  Returns the chain that this makes. */
static uint32_t add_node_chain(struct stack_builder *builder,
                               const struct domain_stack *seen, uint32_t node,
                               uint32_t base)
{
    uint32_t chain = base, frame;

    builder->path.count = 0;
    for ( ; node; node = builder_node(builder, node)->key.parent )
    {
        uint32_t known = find_graft(builder, seen, node, base);

        if ( known )
        {
            chain = known;
            break;
        }
        must_do(vector_reserve(&builder->path, 1));
        builder->path.items[builder->path.count++] = node;
    }
    while ( builder->path.count )
    {
        node = builder->path.items[--builder->path.count];
        node_frame(builder, seen, node, &frame);
        chain = add_frame_to(builder, chain, frame);
        note_graft(builder, seen, node, base, chain);
    }
    return chain;
}

static void make_chain(struct stack_builder *builder, struct domain_stack *seen)
{
    const struct loaded *loaded = builder->loaded;
    const struct loaded_call *call = table_at(&loaded->calls,
                                              seen->key.call - 1);
    uint32_t chain = begin_chain(builder, seen);
    struct chain_base *base = &builder->bases[builder->base_count];

    if ( !base_grafts(builder, chain) )
    {
        *base = (struct chain_base){chain, must(calloc(loaded->nodes.count + 1,
                                                       sizeof(*base->grafts)))};
        builder->base_count++;
    }
    for ( unsigned int i = XENOPROF_CHAINS; i-- > 0; )
        if ( call->key.nodes[i] )
            chain = add_node_chain(builder, seen, call->key.nodes[i], chain);
    seen->chain = chain + 1;
}

/* What a cell's thread is called. */
static void find_comm(struct stack_builder *builder, const struct cell *cell,
                      uint32_t *ret)
{
    const struct loaded_thread *thread = table_at(&builder->loaded->threads,
                                                  cell->key.thread - 1);
    uint32_t number;

    *ret = 0;
    if ( builder->comms.count >= COMMS_MOST &&
         !names_find(&builder->comms, thread->key.comm, &number) )
        return;
    must_do(names_add(&builder->comms, thread->key.comm, &number));
    must_do(names_add(&builder->loaded->names, thread->key.comm, ret));
}

/* Returns where the chain of such cells is noted. */
static struct domain_stack *find_seen(struct stack_builder *builder,
                                      const struct domain_stack *key)
{
    struct domain_stack *first = &builder->first[key->key.call - 1];

    if ( !first->chain )
        *first = *key;
    if ( !memcmp(&first->key, &key->key, sizeof(key->key)) )
        return first;
    return must(table_put(&builder->stacks->seen, &key->key));
}

static void find_chain(struct stack_builder *builder, struct cell *cell)
{
    struct domain_stack key, *seen = &builder->last;

    memset(&key, 0, sizeof(key));
    key.key.domain = cell->key.domain;
    key.key.call = cell->key.call;
    key.key.mode = cell->key.mode;
    /* A session without stacks has no chains that could end. */
    if ( builder->loaded->stacked )
        key.key.ended = cell->key.ended;
    if ( cell->key.thread && cell_of_threads(builder->loaded, cell) )
        find_comm(builder, cell, &key.key.comm);
    /* Of cells that vCPUs do not tell apart few have what another one has, most
     * often the one before: what is noted of all would be a large table. */
    if ( cell->key.vcpu != CELL_SEVERAL )
        seen = find_seen(builder, &key);
    else if ( memcmp(&seen->key, &key.key, sizeof(key.key)) )
        *seen = key;
    if ( !seen->chain )
        make_chain(builder, seen);
    cell->chain = seen->chain - 1;
}

/* Frames that were left out of chains are there all the same: names are told
 * apart by all that there are. */
static void add_left_out(struct stack_builder *builder)
{
    const struct loaded *loaded = builder->loaded;
    uint32_t frame;

    for ( size_t i = 0; loaded->pruned && i < loaded->spots.count; i++ )
    {
        const struct spot *spot = table_at(&loaded->spots, i);
        const struct loaded_place *place = loaded_numbered(&loaded->places,
                                                           spot->place);

        if ( spot->key.symbol && place )
            code_frame(builder->stacks, &place->name, place->mode, &frame);
    }
}

/* Asks for the memory that the chain of a cell is made of, which is a call and
 * then its nodes. */
static void expect_chain(const struct stack_builder *builder, size_t cell)
{
    const struct table *cells = &builder->loaded->cells;
    const struct table *calls = &builder->loaded->calls;
    const struct cell *far = cell + 2ul * AHEAD < cells->count
                                 ? table_at(cells, cell + 2ul * AHEAD)
                                 : NULL;
    const struct cell *near = cell + AHEAD < cells->count
                                  ? table_at(cells, cell + AHEAD)
                                  : NULL;
    const struct loaded_call *call;

    if ( far && far->key.call )
        memory_expect(table_at(calls, far->key.call - 1));
    if ( !near || !near->key.call )
        return;
    call = table_at(calls, near->key.call - 1);
    for ( unsigned int i = 0; i < XENOPROF_CHAINS; i++ )
        if ( call->key.nodes[i] )
            memory_expect(builder_node(builder, call->key.nodes[i]));
}

static void build_chains(struct stack_builder *builder)
{
    const struct chain empty = {.key = {CHAIN_EMPTY, FRAME_NONE}};
    struct stacks *stacks = builder->stacks;
    size_t count = builder->loaded->cells.count;
    uint32_t longest = 1; /* chain: it fits in the path */

    stacks->areas = areas_of(builder->loaded);
    loaded_find_threads(builder->loaded);
    builder->first = must(
        calloc(builder->loaded->calls.count + 1, sizeof(*builder->first)));
    stacks->named_count = NAMED_FIRST + 2 * builder->loaded->places.count;
    stacks->named = must(calloc(stacks->named_count, sizeof(*stacks->named)));
    must(table_append(&stacks->chains, &empty));
    must(vector_add(&builder->child));
    for ( size_t i = 0; i < count; i++ )
    {
        struct cell *cell = table_at(&builder->loaded->cells, i);

        expect_chain(builder, i);
        if ( !cell_placeless(cell) )
            find_chain(builder, cell);
    }
    add_left_out(builder);
    for ( size_t i = 0; i < stacks->chains.count; i++ )
        if ( stacks_chain(stacks, (uint32_t)i)->count > longest )
            longest = stacks_chain(stacks, (uint32_t)i)->count;
    stacks->path.count = 0;
    must_do(vector_reserve(&stacks->path, longest));
}

void stacks_build(struct stacks *stacks, struct loaded *loaded,
                  const struct kernels *kernels, enum frame_detail detail)
{
    struct stack_builder builder = {
        .stacks = stacks, .loaded = loaded, .kernels = kernels};

    *stacks = (struct stacks){.detail = detail};
    table_init(&stacks->frames, sizeof(struct frame_key), sizeof(struct frame));
    table_init(&stacks->chains, sizeof(((struct chain *)0)->key),
               sizeof(struct chain));
    table_init(&stacks->seen, sizeof(((struct domain_stack *)0)->key),
               sizeof(struct domain_stack));
    triple_table_init(&builder.grafts);
    names_init(&builder.comms);
    build_chains(&builder);
    free(builder.first);
    table_free(&stacks->seen);
    triple_table_clear(&builder.grafts);
    table_find_none(&stacks->chains);
    for ( size_t i = 0; i < builder.base_count; i++ )
        free(builder.bases[i].grafts);
    vector_free(&builder.path);
    vector_free(&builder.child);
    names_free(&builder.comms);
}

void stacks_free(struct stacks *stacks)
{
    table_free(&stacks->frames);
    table_free(&stacks->chains);
    free(stacks->named);
    vector_free(&stacks->path);
}
