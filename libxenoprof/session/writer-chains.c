/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample's call chain as nodes: that of Xen, of the kernel, of the process.
 */
#include <stdlib.h>
#include <string.h>

#include "session-writer.h"

bool writer_place_rows(const struct xenoprof_writer *writer,
                       const uint32_t *numbers, size_t count, uint32_t *rows)
{
    bool all = true;

    for ( size_t i = 0; i < count; i++ )
    {
        rows[i] = writer_place_of(writer, numbers[i]);
        all &= rows[i] || !numbers[i];
    }
    return all;
}

/* The space of a place by its row; 0 if it has none. */
static uint32_t space_of(const struct xenoprof_writer *writer, uint32_t row)
{
    const struct defined_place *places = (const struct defined_place *)
                                             writer->tables.places.entries;

    return row ? places[row - 1].key.space : 0;
}

/* Whose frames are in a space; those that are in none are as the others of
 * their chain. */
static enum sample_chain chain_of(const struct xenoprof_writer *writer,
                                  uint32_t space, enum sample_chain otherwise)
{
    static const enum sample_chain chains[XENOPROF_MODES] = {
        [XENOPROF_MODE_XEN] = CHAIN_XEN,
        [XENOPROF_MODE_KERNEL] = CHAIN_KERNEL,
        [XENOPROF_MODE_USER] = CHAIN_USER,
        [XENOPROF_MODE_IDLE] = CHAIN_XEN,
    };
    const struct defined_space *spaces = (const struct defined_space *)
                                             writer->tables.spaces.entries;

    return space ? chains[spaces[space - 1].mode] : otherwise;
}

/* Where each part of a chain ends: rows[ends[i - 1]] to rows[ends[i]] are
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
                      const uint32_t *rows, size_t count,
                      struct chain_parts *ret)
{
    uint32_t space = space_of(writer, rows[0]);
    enum sample_chain first = chain_of(writer, space, CHAIN_USER);
    enum sample_chain now = first;

    for ( unsigned int i = 0; i < SAMPLE_CHAINS; i++ )
        ret->ends[i] = part_chain(i) > now ? 0 : count;
    for ( size_t i = 1; i < count; i++ )
    {
        const uint32_t other = space_of(writer, rows[i]);
        enum sample_chain next;

        if ( other == space )
            continue;
        space = other;
        next = chain_of(writer, space, now);
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
                                    struct known_way *way, const uint32_t *rows,
                                    size_t *count)
{
    uint32_t depth = 0;

    while ( depth < way->count && *count &&
            way->places[depth] == rows[*count - 1] )
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

/* From the root to the leaf of the part that was looked for last.  Returns the
 * last node's row, or 0 if there is no memory or no room. */
static uint32_t put_nodes(struct xenoprof_writer *writer, struct known_way *way,
                          const uint32_t *rows, size_t count)
{
    /* Nor is any of those below there. */
    bool fresh = way->missed == writer->tables.nodes.count + 1;
    struct chain_step step = follow_way(writer, way, rows, &count);

    while ( count-- )
    {
        step.path = defined_path_below(step.path, rows[count]);
        step.node = define_node(&writer->tables, step.path, step.node,
                                rows[count], &fresh);
        if ( !step.node )
            return 0;
        extend_way(way, rows[count], &step);
    }
    return step.node;
}

/* Asks for the memory of the nodes below a step at once, as far as a way goes,
 * and goes on to those that are there.  Takes them from *count.  Returns false
 * if the next one is not there. */
static bool go_on(const struct xenoprof_writer *writer, struct known_way *way,
                  struct chain_step *step, const uint32_t *rows, size_t *count)
{
    const size_t room = WAY_MAX - way->count;
    const size_t ahead = *count < room ? *count : room;
    uint32_t nodes[WAY_MAX];
    uint64_t *paths = &way->paths[way->count], path = step->path;
    size_t there = 0;

    for ( size_t i = 0; i < ahead; i++ )
    {
        paths[i] = path = defined_path_below(path, rows[*count - 1 - i]);
        defined_expect_node(&writer->tables, path);
    }
    while ( there < ahead && (nodes[there] = defined_expect_found(
                                  &writer->tables, paths[there])) )
        there++;
    for ( size_t i = 0; i < there; i++ )
    {
        const uint32_t place = rows[*count - 1];
        const struct defined_node *node = defined_node_at(&writer->tables,
                                                          nodes[i]);

        if ( node->key.parent != step->node || node->key.place != place )
            nodes[i] = defined_find_node(&writer->tables, paths[i], step->node,
                                         place);
        if ( !nodes[i] )
            return false;
        *step = (struct chain_step){nodes[i], paths[i]};
        extend_way(way, place, step);
        --*count;
    }
    return there == ahead;
}

static uint64_t part_hash(const struct xenoprof_writer *writer,
                          const uint32_t *rows, size_t count)
{
    return hash_bytes(writer->tables.nodes.ids.seed, rows,
                      count * sizeof(*rows));
}

/* Returns whether this node and its parents are this part, which has the same
 * hash. */
static bool is_part(const struct xenoprof_writer *writer,
                    const struct known_part *known, const uint32_t *rows,
                    size_t count)
{
    uint32_t row = known->node;

    for ( ; row && count; rows++, count-- )
    {
        const struct defined_node *node = defined_node_at(&writer->tables, row);

        if ( node->key.place != *rows )
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

/* Returns the node of a part's leaf, or 0 if that is not known. */
static uint32_t find_known_part(const struct xenoprof_writer *writer,
                                const uint32_t *rows, size_t count,
                                uint64_t hash)
{
    const struct known_part *known = known_ways(writer->known,
                                                writer->known_room, hash);

    for ( unsigned int i = 0; i < KNOWN_WAYS; i++ )
        if ( known[i].hash == hash && known[i].count == count &&
             is_part(writer, &known[i], rows, count) )
            return known[i].node;
    return 0;
}

/* Parts repeat: one look instead of one for each frame, or none.  The part is
 * the way's last one then. */
static uint32_t find_part(const struct xenoprof_writer *writer,
                          struct known_way *way, const uint32_t *rows,
                          size_t count)
{
    if ( way->last_count == count &&
         !memcmp(way->last, rows, count * sizeof(*rows)) )
        return way->last_node;
    way->last_count = count <= WAY_MAX ? (uint32_t)count : 0;
    memcpy(way->last, rows, way->last_count * sizeof(*rows));
    way->last_hash = part_hash(writer, rows, count);
    way->last_node = find_known_part(writer, rows, count, way->last_hash);
    way->missed = 0;
    return way->last_node;
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
                         const uint32_t *rows, size_t count)
{
    const size_t before = writer->tables.nodes.count;
    uint32_t node = find_part(writer, way, rows, count);

    if ( node )
        return node;
    node = put_nodes(writer, way, rows, count);
    if ( node )
        note_part(writer,
                  &(struct known_part){.hash = way->last_hash,
                                       .node = node,
                                       .count = (uint32_t)count},
                  writer->tables.nodes.count == before);
    return way->last_node = node;
}

bool writer_chain(struct xenoprof_writer *writer, const uint32_t *rows,
                  size_t count, uint32_t nodes[SAMPLE_CHAINS])
{
    struct chain_parts parts;
    size_t begin = 0;

    memset(nodes, 0, SAMPLE_CHAINS * sizeof(*nodes));
    if ( !count )
        return true;
    cut_chain(writer, rows, count, &parts);
    for ( unsigned int i = 0; i < SAMPLE_CHAINS; i++ )
    {
        uint32_t *node = &nodes[part_chain(i)];

        if ( parts.ends[i] == begin )
            continue;
        *node = put_part(writer, &writer->ways[part_chain(i)], rows + begin,
                         parts.ends[i] - begin);
        if ( !*node )
            return false;
        begin = parts.ends[i];
    }
    return true;
}

/* Returns how many of the places, leaf first, have no node yet. */
static size_t count_new(const struct xenoprof_writer *writer,
                        struct known_way *way, const uint32_t *rows,
                        size_t count)
{
    struct chain_step step;

    /* What is known of the way of another chain's part stays. */
    if ( !count || find_part(writer, way, rows, count) )
        return 0;
    step = follow_way(writer, way, rows, &count);
    if ( !go_on(writer, way, &step, rows, &count) )
    {
        way->missed = writer->tables.nodes.count + 1;
        return count;
    }
    for ( ; count; count-- )
    {
        step.path = defined_path_below(step.path, rows[count - 1]);
        step.node = defined_find_node(&writer->tables, step.path, step.node,
                                      rows[count - 1]);
        if ( !step.node )
            break;
    }
    return count;
}

size_t xenoprof_writer_new_frames(struct xenoprof_writer *writer,
                                  const uint32_t *places, size_t count)
{
    uint32_t rows[STACK_MAX];
    struct chain_parts parts;
    size_t begin = 0, more = 0;

    if ( !count || count > STACK_MAX )
        return count;
    writer_place_rows(writer, places, count, rows);
    cut_chain(writer, rows, count, &parts);
    for ( unsigned int i = 0; i < SAMPLE_CHAINS; i++ )
    {
        more += count_new(writer, &writer->ways[part_chain(i)], rows + begin,
                          parts.ends[i] - begin);
        begin = parts.ends[i];
    }
    return more;
}
