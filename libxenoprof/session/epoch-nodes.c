/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds nodes, and gives them numbers in the order of their parents. */
#include <stdlib.h>

#include "epoch-tables.h"

/* A node without a number.  Those whose parent has none either are of the next
 * level. */
struct fresh_node {
    uint32_t row;
    uint32_t level;
    uint32_t parent; /* number */
    uint32_t place;
};

static struct epoch_node *node_at(const struct epoch_tables *tables,
                                  uint32_t row)
{
    return table_at(&tables->nodes, row - 1);
}

uint32_t epoch_find_node(const struct epoch_tables *tables, uint32_t parent,
                         uint32_t place)
{
    const struct epoch_node node = {.key = {parent, place}};
    const struct epoch_node *known = table_find(&tables->nodes, &node.key);

    return known ? (uint32_t)table_index(&tables->nodes, known) + 1 : 0;
}

uint32_t epoch_node(struct epoch_tables *tables, uint32_t parent,
                    uint32_t place)
{
    const struct epoch_node node = {.key = {parent, place}};
    const struct epoch_node *known;

    if ( tables->nodes.count >= tables->nodes_max )
        return epoch_find_node(tables, parent, place);
    known = table_put(&tables->nodes, &node.key);
    return known ? (uint32_t)table_index(&tables->nodes, known) + 1 : 0;
}

static int by_level(const void *left, const void *right)
{
    const struct fresh_node *a = left, *b = right;

    return (a->level > b->level) - (a->level < b->level);
}

static int by_parent(const void *left, const void *right)
{
    const struct fresh_node *a = left, *b = right;

    if ( a->parent != b->parent )
        return a->parent < b->parent ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Rows that have numbers come before all others, and parents before their
 * children. */
static void find_levels(const struct epoch_tables *tables,
                        struct fresh_node *fresh, size_t count)
{
    uint32_t first = (uint32_t)tables->numbered.count + 1;

    for ( size_t i = 0; i < count; i++ )
    {
        const struct epoch_node *node = node_at(tables, first + (uint32_t)i);
        uint32_t parent = node->key.parent;

        fresh[i].row = first + (uint32_t)i;
        fresh[i].place = node->key.place;
        fresh[i].level = parent >= first ? fresh[parent - first].level + 1 : 0;
    }
}

/* Returns how many are of the first one's level. */
static size_t count_level(const struct fresh_node *fresh, size_t count)
{
    size_t same = 1;

    while ( same < count && fresh[same].level == fresh[0].level )
        same++;
    return same;
}

static void number_level(struct epoch_tables *tables, struct fresh_node *fresh,
                         size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        fresh[i].parent = epoch_node_number(
            tables, node_at(tables, fresh[i].row)->key.parent);
    qsort(fresh, count, sizeof(*fresh), by_parent);
    for ( size_t i = 0; i < count; i++ )
    {
        tables->numbered.items[tables->numbered.count++] = fresh[i].row;
        node_at(tables, fresh[i].row)->number = (uint32_t)
                                                    tables->numbered.count;
    }
}

bool epoch_number_nodes(struct epoch_tables *tables)
{
    size_t count = tables->nodes.count - tables->numbered.count, level;
    struct fresh_node *fresh;

    if ( !count )
        return true;
    fresh = calloc(count, sizeof(*fresh));
    if ( !fresh || !vector_reserve(&tables->numbered, count) )
    {
        free(fresh);
        return false;
    }
    find_levels(tables, fresh, count);
    qsort(fresh, count, sizeof(*fresh), by_level);
    for ( size_t i = 0; i < count; i += level )
    {
        level = count_level(fresh + i, count - i);
        number_level(tables, fresh + i, level);
    }
    free(fresh);
    return true;
}
