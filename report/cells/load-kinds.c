/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of files become nodes of the report.  There are millions, each
 * somewhere else in memory: some at a time are looked at, and the memory of all
 * of these is asked for before the first is waited for.
 */
#include "base/must.h"
#include "kinds.h"

#define NODES_AT_ONCE 64u

void kind_spot(struct loader *loader, uint32_t number, uint32_t *ret)
{
    struct loaded *loaded = loader->loaded;
    struct loaded_place *place = loaded_numbered(&loaded->places, number);

    *ret = 0;
    if ( place )
        *ret = loaded_spot(loaded, place,
                           loader->wanted.addresses ||
                               (loader->wanted.lines &&
                                place->mode == XENOPROF_MODE_USER &&
                                place->name.symbol));
}

/* Some nodes, of which all are pruned or none is, on their way to their kinds:
 * these are numbers of spots first.  at says which they are of all. */
struct kind_group {
    struct xenoprof_kind_node nodes[NODES_AT_ONCE];
    uint32_t kinds[NODES_AT_ONCE];
    uint8_t at[NODES_AT_ONCE];
    size_t count;
    bool pruned;
};

/* Whether a node is of a pruned stack: Xen's are whole, for any domain has
 * them, unless none needs them so. */
static bool is_pruned(const struct loader *loader,
                      const struct xenoprof_kind_node *node)
{
    const struct loaded_place *place;

    if ( loader->wanted.pruned || node->parent & KIND_PRUNED ||
         loader->domains.all )
        return true;
    if ( node->domain == XENOPROF_NOBODY ||
         !pruned_domains_has(&loader->domains, node->domain) )
        return false;
    place = loaded_numbered(&loader->loaded->places, node->place);
    return place && place->mode != XENOPROF_MODE_XEN;
}

void kind_pruned_node(struct loader *loader, uint32_t kind, uint32_t *ret)
{
    *ret = kind_node(kind);
    if ( kind && !(kind & KIND_PRUNED) )
        *ret = pruned_of_whole(&loader->pruned, loader->loaded, *ret);
}

static void put_node_kind(uint32_t node, const struct xenoprof_kind_node *from,
                          bool pruned, uint32_t *kind)
{
    *kind = node << KIND_BITS | (pruned ? KIND_PRUNED : 0u) |
            (from->parent ? KIND_CALLED : 0u);
    must_do(node <= UINT32_MAX >> KIND_BITS);
}

/* Each makes kinds of spots. */
static void put_pruned_kinds(struct loader *loader, struct kind_group *group)
{
    uint32_t parents[NODES_AT_ONCE];

    for ( size_t i = 0; i < group->count; i++ )
    {
        kind_pruned_node(loader, group->nodes[i].parent, &parents[i]);
        pruned_expect(&loader->pruned, parents[i], group->kinds[i]);
    }
    for ( size_t i = 0; i < group->count; i++ )
        put_node_kind(pruned_node(&loader->pruned, loader->loaded, parents[i],
                                  group->kinds[i]),
                      &group->nodes[i], true, &group->kinds[i]);
}

static void put_whole_kinds(struct loader *loader, struct kind_group *group)
{
    struct loaded *loaded = loader->loaded;
    uint32_t hashes[NODES_AT_ONCE], parent;

    for ( size_t i = 0; i < group->count; i++ )
        loaded_expect_parent(loaded, kind_node(group->nodes[i].parent));
    for ( size_t i = 0; i < group->count; i++ )
        hashes[i] = loaded_expect_node(
            loaded, kind_node(group->nodes[i].parent), group->kinds[i]);
    for ( size_t i = 0; i < group->count; i++ )
        if ( hashes[i] )
            table_expect_entry(&loaded->nodes, hashes[i]);
    for ( size_t i = 0; i < group->count; i++ )
    {
        parent = kind_node(group->nodes[i].parent);
        put_node_kind(
            loaded_put_node(loaded, parent, group->kinds[i], hashes[i]),
            &group->nodes[i], false, &group->kinds[i]);
    }
}

/* Those of a group, of nodes that are at most NODES_AT_ONCE. */
static void put_group(struct loader *loader,
                      const struct xenoprof_kind_node *nodes,
                      struct kind_group *group, uint32_t *ret)
{
    for ( size_t i = 0; i < group->count; i++ )
    {
        group->nodes[i] = nodes[group->at[i]];
        kind_spot(loader, group->nodes[i].place, &group->kinds[i]);
    }
    if ( group->pruned )
        put_pruned_kinds(loader, group);
    else
        put_whole_kinds(loader, group);
    for ( size_t i = 0; i < group->count; i++ )
        ret[group->at[i]] = group->kinds[i];
}

void kinds_put(struct loader *loader, const struct xenoprof_kind_node *nodes,
               size_t count, uint32_t *ret)
{
    for ( size_t at = 0; at < count; at += NODES_AT_ONCE )
    {
        size_t some = count - at < NODES_AT_ONCE ? count - at : NODES_AT_ONCE;
        struct kind_group groups[2] = {{.pruned = false}, {.pruned = true}};

        for ( size_t i = 0; i < some; i++ )
        {
            const bool pruned = is_pruned(loader, &nodes[at + i]);
            struct kind_group *group = &groups[pruned];

            group->at[group->count++] = (uint8_t)i;
        }
        put_group(loader, nodes + at, &groups[0], ret + at);
        put_group(loader, nodes + at, &groups[1], ret + at);
    }
}

void kind_alone(struct loader *loader, uint32_t place, uint32_t *ret)
{
    const struct xenoprof_kind_node node = {.place = place};
    struct kind_group alone = {.count = 1, .pruned = loader->wanted.pruned};

    put_group(loader, &node, &alone, ret);
}
