/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-names.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>

static int compare_names(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* Returns the names of all rows. */
static uint64_t *row_names(const struct fold_rows *rows)
{
    uint64_t *names = must(calloc(rows->count + 1, sizeof(*names)));

    for ( size_t i = 0; i < rows->count; i++ )
    {
        const size_t parent = rows->items[i].parent;

        names[i] = fold_node_name(rows, parent == FOLD_NONE ? 0 : names[parent],
                                  rows->items[i].node);
    }
    return names;
}

/* From the row outwards. */
static void note_cursor(struct browse_names *names,
                        const struct fold_rows *rows, const uint64_t *of,
                        size_t row)
{
    for ( ; row < rows->count; row = rows->items[row].parent )
    {
        uint64_t *name = must(vector_add(&names->cursor));

        *name = of[row];
    }
}

void browse_names_note(struct browse_names *names,
                       const struct browse_tree *tree, size_t cursor)
{
    const struct fold_rows *rows = &tree->rows;
    uint64_t *of SCOPE_FREE = row_names(rows);

    for ( size_t i = 0; i < rows->count; i++ )
    {
        uint64_t *name = fold_row_is_open(rows, i) ? must(vector_add(names))
                                                   : NULL;

        if ( name )
            *name = of[i];
    }
    if ( names->count )
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
    note_cursor(names, rows, of, cursor);
}

static bool is_noted_open(const void *context, uint64_t name)
{
    const struct browse_names *names = context;

    return names->count && bsearch(&name, names->items, names->count,
                                   sizeof(*names->items), compare_names);
}

size_t browse_names_restore(const struct browse_names *names,
                            struct browse_tree *tree)
{
    const struct fold_rows *rows = &tree->rows;
    uint64_t *of = NULL;
    size_t found = 0;
    bool any = false;

    fold_rows_open(&tree->rows, is_noted_open, names);
    of = row_names(rows);
    for ( size_t i = 0; i < names->cursor.count && !any; i++ )
        for ( size_t row = 0; row < rows->count && !any; row++ )
        {
            any = of[row] == names->cursor.items[i];
            found = any ? row : 0;
        }
    free(of);
    return found;
}

void browse_names_free(struct browse_names *names)
{
    vector_free(names);
    vector_free(&names->cursor);
}
