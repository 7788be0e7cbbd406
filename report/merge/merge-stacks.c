/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-stacks.h"

#include "base/must.h"

#include <string.h>

struct merge_node {
    struct {
        uint64_t leaf;
        uint32_t callers;
        uint32_t zero;
    } key;
};

/* Sees to it that there is a number in a vector.  Returns whether there was. */
#define have(vector, number)                                                   \
    ({                                                                         \
        const bool there_ = (number) <= (vector)->count;                       \
                                                                               \
        while ( (vector)->count < (number) )                                   \
            must(vector_add(vector));                                          \
        there_;                                                                \
    })

static bool take_stack(struct merge_stacks *stacks,
                       const struct xenoprof_item *item)
{
    const size_t count = item->u.stack.count;
    const bool again = have(&stacks->stacks, item->u.stack.number);

    must_do(vector_reserve(&stacks->frames, count));
    if ( count )
        memcpy(stacks->frames.items + stacks->frames.count,
               item->u.stack.places, count * sizeof(*stacks->frames.items));
    stacks->stacks.items[item->u.stack.number - 1] = (struct merge_stack){
        .at = stacks->frames.count, .count = count};
    stacks->frames.count += count;
    return again;
}

/* Code of a process of which nobody knows the file is in image "user". */
static bool is_file(const char *image)
{
    return image && ((image[0] == '/' && image[1] != '/') || image[0] == '[');
}

static bool take_place(struct merge_stacks *stacks,
                       const struct xenoprof_item *item)
{
    const struct xenoprof_place *place = &item->u.place.place;
    const bool again = have(&stacks->places, item->u.place.number);
    struct merge_frame *frame = &stacks->places.items[item->u.place.number - 1];

    *frame = (struct merge_frame){
        .address = place->address,
        .domain = place->domain,
        .mode = place->mode,
        .named = place->symbol,
    };
    if ( place->mode == XENOPROF_MODE_USER && is_file(place->image) )
        must_do(names_add(&stacks->files, place->image, &frame->file));
    return again;
}

void merge_stacks_init(struct merge_stacks *stacks)
{
    *stacks = (struct merge_stacks){.places = {0}};
    names_init(&stacks->files);
}

bool merge_stacks_take(struct merge_stacks *stacks,
                       const struct xenoprof_item *item)
{
    if ( item->kind == XENOPROF_ITEM_PLACE && item->u.place.number )
        return take_place(stacks, item);
    if ( item->kind == XENOPROF_ITEM_STACK && item->u.stack.number )
        return take_stack(stacks, item);
    return false;
}

const uint32_t *merge_stacks_of(const struct merge_stacks *stacks,
                                const struct xenoprof_stored *sample,
                                size_t *count)
{
    const struct merge_stack *stack;

    *count = sample->place != 0;
    if ( !sample->stack || sample->stack > stacks->stacks.count )
        return &sample->place;
    stack = &stacks->stacks.items[sample->stack - 1];
    *count = stack->count;
    return stacks->frames.items + stack->at;
}

struct merge_frame merge_stacks_place(const struct merge_stacks *stacks,
                                      uint32_t number)
{
    if ( !number || number > stacks->places.count )
        return (struct merge_frame){.mode = XENOPROF_MODE_IDLE};
    return stacks->places.items[number - 1];
}

void merge_stacks_free(struct merge_stacks *stacks)
{
    vector_free(&stacks->places);
    vector_free(&stacks->stacks);
    vector_free(&stacks->frames);
    names_free(&stacks->files);
}

void merge_chains_init(struct merge_chains *chains)
{
    table_init(&chains->nodes, sizeof(((struct merge_node *)0)->key),
               sizeof(struct merge_node));
}

void merge_chains_free(struct merge_chains *chains)
{
    table_free(&chains->nodes);
}

uint32_t merge_chains_add(struct merge_chains *chains, uint32_t callers,
                          uint64_t leaf)
{
    const struct merge_node node = {.key = {.leaf = leaf, .callers = callers}};

    return (uint32_t)table_index(&chains->nodes,
                                 must(table_put(&chains->nodes, &node.key))) +
           1;
}

uint64_t merge_chains_leaf(const struct merge_chains *chains, uint32_t chain,
                           uint32_t *callers)
{
    const struct merge_node *node = table_at(&chains->nodes, chain - 1);

    *callers = node->key.callers;
    return node->key.leaf;
}
