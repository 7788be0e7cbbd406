/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample's call chain as nodes: that of Xen, of the kernel, of the process.
 */
#include <stdlib.h>
#include <string.h>

#include "session-writer.h"

/* Whose frame a place is; that of one which is not known is as the others of
 * its chain. */
static enum sample_chain chain_of(const struct xenoprof_writer *writer,
                                  uint32_t number, enum sample_chain otherwise)
{
    static const enum sample_chain chains[XENOPROF_MODES] = {
        [XENOPROF_MODE_XEN] = CHAIN_XEN,
        [XENOPROF_MODE_KERNEL] = CHAIN_KERNEL,
        [XENOPROF_MODE_USER] = CHAIN_USER,
        [XENOPROF_MODE_IDLE] = CHAIN_XEN,
    };
    uint32_t place = writer_place_of(writer, number);
    const struct defined_space *space;

    if ( !place )
        return otherwise;
    space = table_at(&writer->tables.spaces,
                     defined_place_at(&writer->tables, place)->key.space - 1);
    return chains[space->mode];
}

/* Where each part of a chain ends: places[ends[i - 1]] to places[ends[i]] are
 * those of chain SAMPLE_CHAINS - 1 - i.  A chain whose parts are in no order is
 * one part. */
struct chain_parts {
    size_t ends[SAMPLE_CHAINS];
};

static enum sample_chain part_chain(unsigned int part)
{
    return (enum sample_chain)(SAMPLE_CHAINS - 1 - part);
}

static void cut_chain(const struct xenoprof_writer *writer,
                      const uint32_t *places, size_t count,
                      struct chain_parts *ret)
{
    enum sample_chain first = chain_of(writer, places[0], CHAIN_USER);
    enum sample_chain now = first;

    for ( unsigned int i = 0; i < SAMPLE_CHAINS; i++ )
        ret->ends[i] = part_chain(i) > now ? 0 : count;
    for ( size_t i = 1; i < count; i++ )
    {
        enum sample_chain next = chain_of(writer, places[i], now);

        if ( next > now )
        {
            for ( unsigned int j = 0; j < SAMPLE_CHAINS; j++ )
                ret->ends[j] = part_chain(j) > first ? 0 : count;
            return;
        }
        for ( ; now > next; now-- )
            ret->ends[SAMPLE_CHAINS - 1 - now] = i;
    }
}

/* How far from the root a chain was looked up. */
struct chain_step {
    uint32_t node; /* row; 0: not even its root */
    uint64_t path;
};

/* Takes the places from the root on that are on the way, too, from *count, and
 * the others from the way.  Returns the last one of these. */
static struct chain_step follow_way(const struct xenoprof_writer *writer,
                                    struct known_way *way,
                                    const uint32_t *places, size_t *count)
{
    uint32_t depth = 0;

    while ( depth < way->count && *count &&
            way->places[depth] == writer_place_of(writer, places[*count - 1]) )
    {
        depth++;
        --*count;
    }
    way->count = depth;
    return depth ? (struct chain_step){way->nodes[depth - 1],
                                       way->paths[depth - 1]}
                 : (struct chain_step){0, defined_path_begin(&writer->tables)};
}

static void extend_way(struct known_way *way, uint32_t place,
                       const struct chain_step *step)
{
    if ( way->count == WAY_MAX )
        return;
    way->places[way->count] = place;
    way->nodes[way->count] = step->node;
    way->paths[way->count++] = step->path;
}

/* From the root to the leaf.  Returns the last node's row, or 0 if there is no
 * memory or no room. */
static uint32_t put_nodes(struct xenoprof_writer *writer, struct known_way *way,
                          const uint32_t *places, size_t count)
{
    struct chain_step step = follow_way(writer, way, places, &count);

    while ( count-- )
    {
        uint32_t place = writer_place_of(writer, places[count]);

        step.path = defined_path_below(step.path, place);
        step.node = define_node(&writer->tables, step.path, step.node, place);
        if ( !step.node )
            return 0;
        extend_way(way, place, &step);
    }
    return step.node;
}

/* Asks for the memory of all nodes of the rest of a chain at once, whether they
 * are there or are to be put. */
static void expect_nodes(const struct xenoprof_writer *writer, uint64_t path,
                         const uint32_t *places, size_t count)
{
    static void (*const expects[])(const struct defined_tables *tables,
                                   uint64_t path) = {defined_expect_node,
                                                     defined_expect_found};

    for ( unsigned int i = 0; i < 2; i++ )
    {
        uint64_t next = path;

        for ( size_t left = count; left--; )
        {
            next = defined_path_below(next,
                                      writer_place_of(writer, places[left]));
            expects[i](&writer->tables, next);
        }
    }
}

static uint64_t part_hash(const struct xenoprof_writer *writer,
                          const uint32_t *places, size_t count)
{
    return hash_bytes(writer->tables.nodes.ids.seed, places,
                      count * sizeof(*places));
}

/* Returns whether this node and its parents are this part, which has the same
 * hash. */
static bool is_part(const struct xenoprof_writer *writer,
                    const struct known_part *known, const uint32_t *places,
                    size_t count)
{
    uint32_t row = known->node;

    for ( ; row && count; places++, count-- )
    {
        const struct defined_node *node = table_at(&writer->tables.nodes,
                                                   row - 1);

        if ( node->key.place != writer_place_of(writer, *places) )
            return false;
        row = node->key.parent;
    }
    return !row && !count;
}

/* The first of the parts among which one of this hash is. */
static struct known_part *known_ways(struct known_part *known, size_t room,
                                     uint64_t hash)
{
    return &known[hash % (room / KNOWN_WAYS) * KNOWN_WAYS];
}

/* Parts repeat: one look instead of one for each frame.  Returns the node of
 * its leaf, or 0 if this one is not known. */
static uint32_t find_known_part(const struct xenoprof_writer *writer,
                                const uint32_t *places, size_t count,
                                uint64_t hash)
{
    const struct known_part *known = known_ways(writer->known,
                                                writer->known_room, hash);

    for ( unsigned int i = 0; i < KNOWN_WAYS; i++ )
        if ( known[i].hash == hash && known[i].count == count &&
             is_part(writer, &known[i], places, count) )
            return known[i].node;
    return 0;
}

static void put_known_part(struct known_part *known, size_t room,
                           const struct known_part *part)
{
    struct known_part *to = known_ways(known, room, part->hash);
    unsigned int way = 0;

    while ( way < KNOWN_WAYS && to[way].count )
        way++;
    /* Bits that did not choose its ways. */
    to[way < KNOWN_WAYS ? way : (part->hash >> 32) % KNOWN_WAYS] = *part;
}

/* What comes again and is not known any more takes most of a writer's time. */
static void grow_known(struct xenoprof_writer *writer)
{
    const size_t room = 2 * writer->known_room;
    struct known_part *known = calloc(room, sizeof(*known));

    if ( !known )
        return;
    for ( size_t i = 0; i < writer->known_room; i++ )
        if ( writer->known[i].count )
            put_known_part(known, room, &writer->known[i]);
    free(writer->known);
    writer->known = known;
    writer->known_room = room;
    writer->known_gone = 0;
}

/* again: all its nodes were there, so it had made room for others. */
static void note_part(struct xenoprof_writer *writer,
                      const struct known_part *part, bool again)
{
    put_known_part(writer->known, writer->known_room, part);
    writer->known_gone += again;
    if ( writer->known_gone >= writer->known_room / KNOWN_WAYS &&
         writer->known_room < KNOWN_PARTS_MOST )
        grow_known(writer);
}

/* As put_nodes(). */
static uint32_t put_part(struct xenoprof_writer *writer, struct known_way *way,
                         const uint32_t *places, size_t count)
{
    uint64_t hash = part_hash(writer, places, count);
    const size_t before = writer->tables.nodes.count;
    uint32_t node = find_known_part(writer, places, count, hash);

    if ( node )
        return node;
    node = put_nodes(writer, way, places, count);
    if ( node )
        note_part(writer,
                  &(struct known_part){
                      .hash = hash, .node = node, .count = (uint32_t)count},
                  writer->tables.nodes.count == before);
    return node;
}

bool writer_chain(struct xenoprof_writer *writer, const uint32_t *places,
                  size_t count, uint32_t nodes[SAMPLE_CHAINS])
{
    struct chain_parts parts;
    size_t begin = 0;

    memset(nodes, 0, SAMPLE_CHAINS * sizeof(*nodes));
    if ( !count )
        return true;
    cut_chain(writer, places, count, &parts);
    for ( unsigned int i = 0; i < SAMPLE_CHAINS; i++ )
    {
        uint32_t *node = &nodes[part_chain(i)];

        if ( parts.ends[i] == begin )
            continue;
        *node = put_part(writer, &writer->ways[part_chain(i)], places + begin,
                         parts.ends[i] - begin);
        if ( !*node )
            return false;
        begin = parts.ends[i];
    }
    return true;
}

/* Returns how many of the places, leaf first, have no node yet. */
static size_t count_new(const struct xenoprof_writer *writer,
                        struct known_way *way, const uint32_t *places,
                        size_t count)
{
    struct chain_step step;

    /* What is known of the way of another chain's part stays. */
    if ( !count || find_known_part(writer, places, count,
                                   part_hash(writer, places, count)) )
        return 0;
    step = follow_way(writer, way, places, &count);
    expect_nodes(writer, step.path, places, count);
    for ( ; count; count-- )
    {
        uint32_t place = writer_place_of(writer, places[count - 1]);

        step.path = defined_path_below(step.path, place);
        step.node = defined_find_node(&writer->tables, step.path, step.node,
                                      place);
        if ( !step.node )
            break;
        extend_way(way, place, &step);
    }
    return count;
}

size_t xenoprof_writer_new_frames(struct xenoprof_writer *writer,
                                  const uint32_t *places, size_t count)
{
    struct chain_parts parts;
    size_t begin = 0, more = 0;

    if ( !count )
        return 0;
    cut_chain(writer, places, count, &parts);
    for ( unsigned int i = 0; i < SAMPLE_CHAINS; i++ )
    {
        more += count_new(writer, &writer->ways[part_chain(i)], places + begin,
                          parts.ends[i] - begin);
        begin = parts.ends[i];
    }
    return more;
}
