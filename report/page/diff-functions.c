/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff-functions.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>

static void add_self_amounts(struct diff_functions *functions,
                             const struct diff_tree *diff)
{
    for ( size_t i = 0; i < diff->nodes.count; i++ )
    {
        const struct diff_node *node = diff_tree_node(diff, (uint32_t)i);

        for ( unsigned int side = 0; node->key.kind == NODE_FRAME && side < 2;
              side++ )
            amount_add(&functions->amounts[node->key.value][side],
                       node->self[side]);
    }
}

static void mark(struct diff_functions *functions)
{
    struct change **changes SCOPE_FREE = must(
        calloc(functions->count, sizeof(*changes)));

    for ( size_t i = 0; i < functions->count; i++ )
        changes[i] = &functions->changes[i];
    noise_mark(changes, functions->count);
}

void diff_functions_make(struct diff_functions *functions,
                         const struct diff_tree *diff)
{
    size_t count = diff->names.frames.count;

    *functions = (struct diff_functions){.count = count};
    if ( !count )
        return;
    functions->amounts = must(calloc(count, sizeof(*functions->amounts)));
    functions->changes = must(calloc(count, sizeof(*functions->changes)));
    add_self_amounts(functions, diff);
    for ( size_t i = 0; i < count; i++ )
        diff_test(diff->whole, diff->normalize, functions->amounts[i],
                  &functions->changes[i]);
    mark(functions);
}

void diff_functions_free(struct diff_functions *functions)
{
    free(functions->amounts);
    free(functions->changes);
}
