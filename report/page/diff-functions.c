/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff-functions.h"

#include "base/scope.h"

#include <stdlib.h>

static void add_nodes(struct diff_functions *functions,
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

static bool mark(struct diff_functions *functions)
{
    struct change **changes SCOPE_FREE = calloc(functions->count,
                                                sizeof(*changes));

    for ( size_t i = 0; changes && i < functions->count; i++ )
        changes[i] = &functions->changes[i];
    if ( !changes )
        return false;
    noise_mark(changes, functions->count);
    return true;
}

bool diff_functions_make(struct diff_functions *functions,
                         const struct diff_tree *diff)
{
    size_t count = diff->names.frames.count;

    *functions = (struct diff_functions){.count = count};
    if ( !count )
        return true;
    functions->amounts = calloc(count, sizeof(*functions->amounts));
    functions->changes = calloc(count, sizeof(*functions->changes));
    if ( !functions->amounts || !functions->changes )
        return false;
    add_nodes(functions, diff);
    for ( size_t i = 0; i < count; i++ )
        diff_test(diff->whole, diff->normalize, functions->amounts[i],
                  &functions->changes[i]);
    return mark(functions);
}

void diff_functions_free(struct diff_functions *functions)
{
    free(functions->amounts);
    free(functions->changes);
}
