/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths are what a guest's memory has in its names of files: any bytes. */
#include "told-space.h"

#include <string.h>

_Static_assert(AGENT_PATH_MAX == PAST_PATH_MAX &&
                   sizeof(struct agent_known) == 16 &&
                   sizeof(struct agent_known_mapping) == 32,
               "both sides lay them out alike");

struct told_space {
    struct agent_head head;
    struct agent_known known;
    const char *mappings, *texts;
};

static struct agent_known_mapping mapping_at(const struct told_space *told,
                                             uint32_t i)
{
    struct agent_known_mapping mapping;

    memcpy(&mapping, told->mappings + i * sizeof(mapping), sizeof(mapping));
    return mapping;
}

/* Texts end with a zero, so each of them does. */
static bool has_path(const struct told_space *told, uint32_t at)
{
    const char *path = told->texts + at;

    return at < told->known.texts && (!*path || *path == '/') &&
           strnlen(path, AGENT_PATH_MAX) < AGENT_PATH_MAX;
}

/* Finds the parts of a message, whose size says that they are all there. */
static bool find_parts(const void *message, size_t size,
                       struct told_space *told)
{
    const size_t first = sizeof(told->head) + sizeof(told->known);
    size_t mappings;

    if ( size < first )
        return false;
    memcpy(&told->head, message, sizeof(told->head));
    memcpy(&told->known, (const char *)message + sizeof(told->head),
           sizeof(told->known));
    if ( told->head.count > AGENT_MAPPINGS_MAX )
        return false;
    mappings = told->head.count * sizeof(struct agent_known_mapping);
    told->mappings = (const char *)message + first;
    told->texts = told->mappings + mappings;
    return size == first + mappings + told->known.texts;
}

static bool is_whole(const struct told_space *told)
{
    if ( !told->known.tgid || told->known.tgid > INT32_MAX ||
         !told->known.texts || told->texts[told->known.texts - 1] )
        return false;
    for ( uint32_t i = 0; i < told->head.count; i++ )
        if ( !has_path(told, mapping_at(told, i).path) )
            return false;
    return true;
}

static void put_known_space(struct space_history *history,
                            const struct told_space *told)
{
    const int32_t tgid = (int32_t)told->known.tgid;

    space_history_tell(history, tgid, told->known.since);
    for ( uint32_t i = 0; i < told->head.count; i++ )
    {
        const struct agent_known_mapping from = mapping_at(told, i);
        const struct past_mapping mapping = {.start = from.start,
                                             .end = from.end,
                                             .offset = from.offset,
                                             .since = told->known.since};

        space_history_map(history, tgid, &mapping, told->texts + from.path);
    }
}

bool told_space_take(struct space_history *history, const void *message,
                     size_t size)
{
    struct told_space told;

    if ( !find_parts(message, size, &told) || !is_whole(&told) )
        return false;
    put_known_space(history, &told);
    return true;
}
