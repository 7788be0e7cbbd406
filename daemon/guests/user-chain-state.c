/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user-chain-state.h"

#include <stdlib.h>

void user_stacks_open(struct user_stacks *stacks)
{
    *stacks = (struct user_stacks){.watched = -1};
    table_init(&stacks->spaces, sizeof(struct user_address),
               sizeof(struct known_space));
    table_init(&stacks->images, sizeof(uint64_t), sizeof(struct known_image));
    walked_stacks_init(&stacks->stacks);
}

void user_stacks_drop_chain(struct user_stacks *stacks, size_t index)
{
    free(stacks->chains.items[index].code);
    stacks->chains.items[index] = stacks->chains.items[--stacks->chains.count];
}

static void count_user_walker_cpu(struct user_stacks *stacks)
{
    if ( stacks->walker )
        stacks->cpu = user_walker_cpu(stacks->walker);
}

uint64_t user_stacks_cpu(struct user_stacks *stacks)
{
    uint64_t all;

    count_user_walker_cpu(stacks);
    all = stacks->ended_cpu + stacks->cpu - stacks->reported_cpu;
    stacks->reported_cpu += all;
    return all;
}

void user_stacks_forget_spaces(struct user_stacks *stacks)
{
    for ( size_t i = 0; i < stacks->spaces.count; i++ )
        free(((struct known_space *)table_at(&stacks->spaces, i))->mappings);
    table_free(&stacks->spaces);
    stacks->pieces = 0;
    stacks->fetch.active = stacks->fetch.asked = false;
    stacks->wanted.count = 0;
}

void user_stacks_begin_anew(struct user_stacks *stacks)
{
    count_user_walker_cpu(stacks);
    stacks->ended_cpu += stacks->cpu;
    stacks->cpu = 0;
    user_walker_end(stacks->walker);
    stacks->walker = NULL;
    stacks->watched = -1;
    user_stacks_forget_spaces(stacks);
    table_free(&stacks->images);
    stacks->bytes = 0;
    while ( stacks->chains.count )
        user_stacks_drop_chain(stacks, 0);
    walked_stacks_forget_asked(&stacks->stacks);
}

void user_stacks_close(struct user_stacks *stacks)
{
    user_stacks_begin_anew(stacks);
    vector_free(&stacks->chains);
    walked_stacks_free(&stacks->stacks);
}
