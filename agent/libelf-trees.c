/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a static libelf lacks: since elfutils 0.192 (Debian 13) libelf.a calls
 * functions that only libelf.so has, of a tree whose root comes first, with a
 * lock behind it that a program with one thread does not need.  They are weak,
 * so that a libelf.a may have its own.
 */
#include <search.h>
#include <stddef.h>

typedef int (*compare_keys)(const void *, const void *);
typedef void (*free_key)(void *);

struct locked_tree {
    void *root;
};

#define WEAK __attribute__((weak))

WEAK void eu_search_tree_init(struct locked_tree *tree);
WEAK void eu_search_tree_fini(struct locked_tree *tree, free_key free_one);
WEAK void *eu_tsearch(const void *key, struct locked_tree *tree,
                      compare_keys compare);
WEAK void *eu_tdelete(const void *key, struct locked_tree *tree,
                      compare_keys compare);

void eu_search_tree_init(struct locked_tree *tree)
{
    tree->root = NULL;
}

void eu_search_tree_fini(struct locked_tree *tree, free_key free_one)
{
    tdestroy(tree->root, free_one);
}

void *eu_tsearch(const void *key, struct locked_tree *tree,
                 compare_keys compare)
{
    return tsearch(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct locked_tree *tree,
                 compare_keys compare)
{
    return tdelete(key, &tree->root, compare);
}
