/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree-turns.h"

#include "base/must.h"

#include <stdlib.h>

/* With fewer samples than one for so many chains, what is noted of chains is
 * noted of some. */
#define CHAINS_A_SAMPLE 16u

void tree_turns_init(struct tree_turns *turns, const struct loaded *loaded,
                     const struct stacks *stacks, const struct tree_plan *plan)
{
    struct tree_plan shallow = *plan;
    uint32_t *ends;

    *turns = (struct tree_turns){
        .loaded = loaded, .stacks = stacks, .plan = *plan};
    shallow.groups.count = 1;
    shallow.shallow = shallow.ends = true;
    tree_build(&turns->groups, loaded, stacks, &shallow);
    turns->first = must(
        calloc(turns->groups.nodes.count, sizeof(*turns->first)));
    /* The cells of each group, in their order: where a cell ended becomes the
     * next one that ends there. */
    ends = turns->groups.ends;
    for ( size_t i = loaded->cells.count; i-- > 0; )
    {
        uint32_t group = ends[i];

        ends[i] = turns->first[group];
        turns->first[group] = (uint32_t)i + 1;
    }
}

void tree_turns_free(struct tree_turns *turns)
{
    tree_free(&turns->groups);
    free(turns->first);
}

void tree_turn(const struct tree_turns *turns, uint32_t group, struct tree *ret)
{
    const uint64_t samples = tree_node(&turns->groups, group)->total.samples;
    const struct cell_row row = {
        .next = turns->groups.ends,
        .first = turns->first[group],
        .few = samples < turns->stacks->chains.count / CHAINS_A_SAMPLE,
    };
    struct tree_plan plan = turns->plan;

    plan.only = &row;
    tree_build(ret, turns->loaded, turns->stacks, &plan);
    ret->time_all = turns->groups.time_all;
}
