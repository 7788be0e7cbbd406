/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS_FIRST 1024u

#define CELLS_AHEAD 32u /* whose chains are asked for at once */
#define NAMED_FIRST 1024u

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
        uint32_t stack;  /* number; 0: none */
        uint32_t place;  /* number; 0: none */
        uint16_t mode;
        uint16_t ended; /* enum xenoprof_ended */
    } key;
    uint32_t chain; /* index + 1; 0: not put together yet */
};

/* What one build takes from one step to the next. */
struct stack_builder {
    struct stacks *stacks;
    struct loaded *loaded;
    const struct kernels *kernels;
};

static bool add_frame(struct stacks *stacks, const struct frame_key *key,
                      uint64_t start, uint32_t *ret)
{
    struct frame *frame = table_put(&stacks->frames, key);

    if ( !frame )
        return false;
    frame->several = frame->several ||
                     (frame->start && start && start != frame->start);
    if ( start )
        frame->start = frame->several ? 0 : start;
    *ret = (uint32_t)table_index(&stacks->frames, frame);
    return true;
}

static bool mark_frame(struct stacks *stacks, enum frame_kind kind,
                       uint32_t *ret)
{
    struct frame_key key;

    memset(&key, 0, sizeof(key));
    key.kind = (uint8_t)kind;
    return add_frame(stacks, &key, 0, ret);
}

static bool unknown_frame(struct stacks *stacks, uint8_t mode, uint32_t *ret)
{
    struct frame_key key;

    memset(&key, 0, sizeof(key));
    key.kind = FRAME_UNKNOWN;
    key.mode = mode;
    return add_frame(stacks, &key, 0, ret);
}

static bool code_frame(struct stacks *stacks, const struct place_name *name,
                       uint8_t mode, uint32_t *ret)
{
    struct frame_key key;

    memset(&key, 0, sizeof(key));
    key.image = name->image;
    key.mode = mode;
    key.area = (uint8_t)area_of(&stacks->areas, mode, name);
    if ( stacks->detail == FRAMES_BY_IMAGE && name->image )
        return add_frame(stacks, &key, 0, ret);
    key.symbol = name->symbol;
    if ( stacks->detail == FRAMES_BY_ADDRESS )
        key.area = AREA_NONE;
    if ( stacks->detail == FRAMES_BY_ADDRESS || (!key.symbol && !key.area) )
        key.address = name->address;
    return add_frame(stacks, &key, name->symbol ? name->start : name->address,
                     ret);
}

static bool name_frame(const struct stack_builder *builder, uint32_t domain,
                       const struct loaded_place *place, uint32_t *ret)
{
    struct place_name name;

    return name_place(builder->loaded, builder->kernels, domain,
                      (uint32_t)place->key.number, &name) &&
           code_frame(builder->stacks, &name, place->mode, ret);
}

/* Where to note a place's frame; numbers of places that are far apart have no
 * room.  Returns NULL for these. */
static struct named_place *named_at(const struct stacks *stacks,
                                    uint32_t number)
{
    return number < stacks->named_count ? &stacks->named[number] : NULL;
}

static bool make_named(struct stacks *stacks, const struct loaded *loaded)
{
    stacks->named_count = NAMED_FIRST + 2 * loaded->places.count;
    stacks->named = calloc(stacks->named_count, sizeof(*stacks->named));
    return stacks->named;
}

/* The frame of a place in a domain; mode is the sample's, for a place that is
 * not known. */
static bool place_frame(const struct stack_builder *builder, uint32_t domain,
                        uint32_t number, uint8_t mode, uint32_t *ret)
{
    struct named_place *named = named_at(builder->stacks, number);
    const struct loaded_place *place;

    if ( named && named->frame &&
         (named->domain == ALL_DOMAINS || named->domain == domain) )
    {
        *ret = named->frame - 1;
        return true;
    }
    place = loaded_numbered(&builder->loaded->places, number);
    if ( !place || (!place->name.address && !place->name.symbol) )
        return unknown_frame(builder->stacks, place ? place->mode : mode, ret);
    if ( !name_frame(builder, domain, place, ret) )
        return false;
    if ( named )
        *named = (struct named_place){
            place->mode == XENOPROF_MODE_KERNEL ? domain : ALL_DOMAINS,
            *ret + 1};
    return true;
}

/* Frames of the chain that is being put together lie behind all others. */
static bool add_number(struct stacks *stacks, uint32_t first, uint32_t frame)
{
    uint32_t *number;

    /* One image that calls itself is one frame. */
    if ( stacks->detail == FRAMES_BY_IMAGE && stacks->numbers.count > first &&
         stacks->numbers.items[stacks->numbers.count - 1] == frame )
        return true;
    if ( stacks->numbers.count == UINT32_MAX )
        return false;
    number = vector_add(&stacks->numbers);
    if ( number )
        *number = frame;
    return number;
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

static bool add_mark(struct stacks *stacks, uint32_t first,
                     const struct domain_stack *seen)
{
    enum frame_kind kind = missing_at_root(seen);
    uint32_t frame;

    return kind == FRAME_CODE || (mark_frame(stacks, kind, &frame) &&
                                  add_number(stacks, first, frame));
}

static bool add_place(const struct stack_builder *builder, uint32_t first,
                      const struct domain_stack *seen, uint32_t number)
{
    uint32_t frame;

    return place_frame(builder, seen->key.domain, number,
                       (uint8_t)seen->key.mode, &frame) &&
           add_number(builder->stacks, first, frame);
}

static uint64_t address_of(const struct loaded *loaded, uint64_t number)
{
    const struct loaded_place *place = loaded_numbered(&loaded->places, number);

    return place ? place->name.address : 0;
}

/* Whether a sample's own place is what its stack begins with; an equal place
 * may have got a second number. */
static bool is_leaf(const struct loaded *loaded, const struct stack *stack,
                    uint32_t place)
{
    uint32_t leaf = stack->count ? loaded->frames.items[stack->first] : 0;

    return leaf && (!place || leaf == place ||
                    address_of(loaded, leaf) == address_of(loaded, place));
}

static bool add_frames(const struct stack_builder *builder, uint32_t first,
                       const struct domain_stack *seen)
{
    const struct loaded *loaded = builder->loaded;
    const struct stack *stack = loaded_numbered(&loaded->stacks,
                                                seen->key.stack);

    if ( !add_mark(builder->stacks, first, seen) )
        return false;
    for ( size_t i = stack ? stack->count : 0; i-- > 0; )
        if ( !add_place(builder, first, seen,
                        loaded->frames.items[stack->first + i]) )
            return false;
    return (stack && is_leaf(loaded, stack, seen->key.place)) ||
           add_place(builder, first, seen, seen->key.place);
}

static uint64_t hash_frames(const uint32_t *frames, size_t count, uint64_t seed)
{
    uint64_t hash = seed;

    for ( size_t i = 0; i < count; i++ )
        hash = hash_mix(hash, frames[i]);
    return hash_end(hash);
}

/* The chain of all frames from first on; if it is there already, these are
 * taken away.  NULL if there is no memory. */
static struct chain *settle(struct stacks *stacks, uint32_t first)
{
    const uint32_t *frames = stacks->numbers.items + first;
    uint32_t count = (uint32_t)stacks->numbers.count - first;
    struct chain key, *chain;

    memset(&key, 0, sizeof(key));
    key.key.hash = hash_frames(frames, count, stacks->chains.ids.seed);
    while ( (chain = table_find(&stacks->chains, &key)) &&
            (chain->count != count || memcmp(chain_frames(stacks, chain),
                                             frames, count * sizeof(*frames))) )
        key.key.nth++;
    if ( chain )
    {
        stacks->numbers.count = first;
        return chain;
    }
    chain = table_put(&stacks->chains, &key);
    if ( chain )
    {
        chain->first = first;
        chain->count = count;
    }
    return chain;
}

static bool make_chain(const struct stack_builder *builder,
                       struct domain_stack *seen)
{
    struct stacks *stacks = builder->stacks;
    uint32_t first = (uint32_t)stacks->numbers.count;
    const struct chain *chain;

    if ( !add_frames(builder, first, seen) )
        return false;
    chain = settle(stacks, first);
    if ( !chain )
        return false;
    seen->chain = (uint32_t)table_index(&stacks->chains, chain) + 1;
    return true;
}

static void chain_key(const struct loaded *loaded, const struct cell *cell,
                      struct domain_stack *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->key.domain = cell->key.domain;
    ret->key.stack = cell->key.stack;
    ret->key.place = cell->key.place;
    ret->key.mode = cell->key.mode;
    /* A session without stacks has no chains that could end. */
    if ( loaded->stacked )
        ret->key.ended = cell->key.ended;
}

static bool find_chain(const struct stack_builder *builder, struct cell *cell,
                       const struct domain_stack *key, uint32_t hash)
{
    struct domain_stack *seen = table_put_expected(&builder->stacks->seen,
                                                   &key->key, hash);

    if ( !seen || (!seen->chain && !make_chain(builder, seen)) )
        return false;
    cell->chain = seen->chain - 1;
    return true;
}

/* Cells that follow each other have chains far apart: memory is asked for that
 * of some of them at once. */
static bool find_chains(const struct stack_builder *builder, size_t first,
                        size_t end)
{
    struct table *cells = &builder->loaded->cells;
    struct table *seen = &builder->stacks->seen;
    struct domain_stack keys[CELLS_AHEAD];
    uint32_t hashes[CELLS_AHEAD];

    for ( size_t i = first; i < end; i++ )
    {
        chain_key(builder->loaded, table_at(cells, i), &keys[i - first]);
        hashes[i - first] = table_expect(seen, &keys[i - first].key);
    }
    for ( size_t i = first; i < end; i++ )
        table_expect_entry(seen, hashes[i - first]);
    for ( size_t i = first; i < end; i++ )
    {
        struct cell *cell = table_at(cells, i);

        if ( !cell_placeless(cell) &&
             !find_chain(builder, cell, &keys[i - first], hashes[i - first]) )
            return false;
    }
    return true;
}

bool stacks_build(struct stacks *stacks, struct loaded *loaded,
                  const struct kernels *kernels, enum frame_detail detail)
{
    const struct stack_builder builder = {stacks, loaded, kernels};

    *stacks = (struct stacks){.detail = detail};
    table_init(&stacks->frames, sizeof(struct frame_key), sizeof(struct frame));
    table_init(&stacks->chains, sizeof(((struct chain *)0)->key),
               sizeof(struct chain));
    table_init(&stacks->seen, sizeof(((struct domain_stack *)0)->key),
               sizeof(struct domain_stack));
    stacks->areas = areas_of(loaded);
    if ( !make_named(stacks, loaded) ||
         !vector_reserve(&stacks->numbers, NUMBERS_FIRST) ||
         !settle(stacks, 0) ) /* CHAIN_EMPTY */
        return false;
    for ( size_t i = 0; i < loaded->cells.count; i += CELLS_AHEAD )
    {
        size_t left = loaded->cells.count - i;

        if ( !find_chains(&builder, i,
                          i + (left < CELLS_AHEAD ? left : CELLS_AHEAD)) )
            return false;
    }
    return true;
}

void stacks_free(struct stacks *stacks)
{
    table_free(&stacks->frames);
    table_free(&stacks->chains);
    free(stacks->named);
    table_free(&stacks->seen);
    vector_free(&stacks->numbers);
}
