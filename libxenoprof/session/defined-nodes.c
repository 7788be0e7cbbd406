/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds nodes, and gives them numbers, parents before their children.
 *
 * New nodes come in turns: those at places that were known in the order of
 * their parents, then those at new places, then those that are below these and
 * at known ones, and so on.  Most are leaves at new places.  These are in the
 * order of whose addresses they are of, and places get numbers as nodes come,
 * so such nodes are at one place after the other, which takes nothing, and a
 * place's space is most often that of the place before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort-rows.h"
#include "defined-tables.h"

#define ROW_WORDS(row) (sizeof(row) / sizeof(uint32_t))

/* A node without a number; sorted by the first three words. */
struct fresh_node {
    uint32_t turn;  /* of its place or a parent's, the later; odd: new places */
    uint32_t space; /* of odd turns: that of the first parent in the turn */
    uint32_t level; /* new parents */
    uint32_t row;
};

/* One of those whose first words above are the same; sorted by these two. */
struct level_node {
    uint32_t parent; /* number */
    uint32_t place;
    uint32_t row;
};

static struct defined_node *node_at(const struct defined_tables *tables,
                                    uint32_t row)
{
    return table_at(&tables->nodes, row - 1);
}

static uint32_t path_hash(uint64_t path)
{
    return (uint32_t)hash_end(path);
}

uint32_t defined_find_node(const struct defined_tables *tables, uint64_t path,
                           uint32_t parent, uint32_t place)
{
    const struct defined_node node = {.key = {parent, place}};
    const struct defined_node *known = table_find_hashed(
        &tables->nodes, &node.key, path_hash(path));

    return known ? (uint32_t)table_index(&tables->nodes, known) + 1 : 0;
}

void defined_expect_node(const struct defined_tables *tables, uint64_t path)
{
    table_expect_hash(&tables->nodes, path_hash(path));
}

uint32_t defined_expect_found(const struct defined_tables *tables,
                              uint64_t path)
{
    const struct id_table *ids = &tables->nodes.ids;
    const uint32_t hash = path_hash(path);
    const struct id_slot *slot = id_first(ids, hash);

    while ( slot->id && slot->hash != hash )
        slot = id_after(ids, slot);
    if ( slot->id )
        memory_expect(defined_node_at(tables, slot->id));
    return slot->id;
}

uint32_t define_node(struct defined_tables *tables, uint64_t path,
                     uint32_t parent, uint32_t place, bool *fresh)
{
    const struct defined_node node = {.key = {parent, place}};
    uint32_t known = *fresh ? 0
                            : defined_find_node(tables, path, parent, place);

    *fresh = !known;
    if ( known || tables->nodes.count >= tables->nodes_max ||
         !table_put_new(&tables->nodes, &node.key, path_hash(path)) )
        return known;
    return (uint32_t)tables->nodes.count;
}

static bool is_place(const struct defined_tables *tables, uint32_t row)
{
    return row && row <= tables->places.count;
}

static bool is_new(const struct defined_tables *tables, uint32_t place)
{
    return is_place(tables, place) && !defined_place_number(tables, place);
}

/* Rows that have numbers come before all others, and parents before their
 * children. */
static void find_turns(const struct defined_tables *tables,
                       struct fresh_node *fresh, size_t count)
{
    uint32_t first = (uint32_t)tables->numbered.count + 1;

    for ( size_t i = 0; i < count; i++ )
    {
        const struct defined_node *node = node_at(tables, first + (uint32_t)i);
        const uint32_t parent = node->key.parent, place = node->key.place;
        const struct fresh_node *above = parent >= first
                                             ? &fresh[parent - first]
                                             : NULL;
        struct fresh_node *now = &fresh[i];

        *now = (struct fresh_node){.row = first + (uint32_t)i};
        now->turn = above ? above->turn : 0;
        now->turn += is_new(tables, place) != now->turn % 2;
        if ( now->turn % 2 )
            now->space = above && above->turn == now->turn
                             ? above->space
                             : defined_place_at(tables, place)->key.space;
        now->level = above ? above->level + 1 : 0;
    }
}

/* Returns how many are of the first one's turn, space and level. */
static size_t count_level(const struct fresh_node *fresh, size_t count)
{
    size_t same = 1;

    while ( same < count && fresh[same].turn == fresh->turn &&
            fresh[same].space == fresh->space &&
            fresh[same].level == fresh->level )
        same++;
    return same;
}

/* There is room. */
static void number_place(struct defined_tables *tables, uint32_t row)
{
    uint32_t *number = &tables->place_numbers.items[row - 1];

    if ( *number )
        return;
    tables->numbered_places.items[tables->numbered_places.count++] = row;
    *number = (uint32_t)tables->numbered_places.count;
}

/* By parent, then by place.  Most parents have few that are new: those are put
 * in order among themselves.  level has room for twice as many. */
static void sort_level(struct level_node *level, size_t count)
{
    size_t next;

    sort_rows_with(&level->parent, &level[count].parent, count,
                   ROW_WORDS(*level), 1);
    for ( size_t i = 0; i < count; i = next )
    {
        for ( next = i + 1;
              next < count && level[next].parent == level[i].parent; next++ )
            ;
        if ( next > i + 1 )
            sort_rows_with(&level[i].parent, &level[count].parent, next - i,
                           ROW_WORDS(*level), 2);
    }
}

/* As for sort_level(). */
static void number_level(struct defined_tables *tables,
                         const struct fresh_node *fresh, size_t count,
                         struct level_node *level)
{
    for ( size_t i = 0; i < count; i++ )
    {
        const struct defined_node *node = node_at(tables, fresh[i].row);

        level[i] = (struct level_node){
            .parent = defined_node_number(tables, node->key.parent),
            .place = node->key.place,
            .row = fresh[i].row,
        };
    }
    sort_level(level, count);
    for ( size_t i = 0; i < count; i++ )
    {
        tables->numbered.items[tables->numbered.count++] = level[i].row;
        node_at(tables, level[i].row)->number = (uint32_t)
                                                    tables->numbered.count;
        if ( is_place(tables, level[i].place) )
            number_place(tables, level[i].place);
    }
}

/* Fewer are not worth several tables. */
#define TURNS_FROM 512u

static void number_sorted(struct defined_tables *tables,
                          const struct fresh_node *fresh, size_t count,
                          struct level_node *level)
{
    size_t next;

    for ( size_t i = 0; i < count; i = next )
    {
        const uint32_t turn = fresh[i].turn;

        next = i + count_level(fresh + i, count - i);
        number_level(tables, fresh + i, next - i, level);
        /* Where new nodes of a turn end; late ones are few. */
        if ( turn < NODE_TURNS && count >= TURNS_FROM )
            tables->turn_ends[turn] = tables->numbered.count;
    }
}

/* All or none: nodes with a number have the first rows. */
static bool number_nodes(struct defined_tables *tables)
{
    size_t count = tables->nodes.count - tables->numbered.count;
    struct fresh_node *fresh = calloc(count + 1, sizeof(*fresh));
    struct level_node *level = calloc(2 * count + 1, sizeof(*level));
    bool done = fresh && level && vector_reserve(&tables->numbered, count);

    if ( done && count )
    {
        find_turns(tables, fresh, count);
        done = sort_rows(&fresh->turn, count, ROW_WORDS(*fresh), 3);
        if ( done )
            number_sorted(tables, fresh, count, level);
    }
    free(level);
    free(fresh);
    return done;
}

/* For numbers of all places.  Returns false if there is no memory. */
static bool make_place_room(struct defined_tables *tables)
{
    const size_t known = tables->place_numbers.count;
    const size_t more = tables->places.count - known;

    if ( !vector_reserve(&tables->place_numbers, more) ||
         !vector_reserve(&tables->numbered_places,
                         tables->places.count - tables->numbered_places.count) )
        return false;
    if ( more )
        memset(tables->place_numbers.items + known, 0,
               more * sizeof(*tables->place_numbers.items));
    tables->place_numbers.count += more;
    return true;
}

bool defined_number_nodes(struct defined_tables *tables)
{
    size_t known = tables->numbered_places.count;

    if ( !make_place_room(tables) || !number_nodes(tables) )
        return false;
    /* What no node is at, as it came. */
    while ( known < tables->places.count )
        number_place(tables, (uint32_t)++known);
    return true;
}
