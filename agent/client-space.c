/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths are what a guest's memory has in its names of files: any bytes. */
#include "client-space.h"

#include <string.h>

_Static_assert(AGENT_PATH_MAX == PAST_PATH_MAX &&
                   sizeof(struct agent_known) == 16 &&
                   sizeof(struct agent_known_mapping) == 32,
               "both sides lay them out alike");

struct client_space {
    struct agent_head head;
    struct agent_known known;
    const char *mappings, *texts;
};

static struct agent_known_mapping mapping_at(const struct client_space *client,
                                             uint32_t i)
{
    struct agent_known_mapping mapping;

    memcpy(&mapping, client->mappings + i * sizeof(mapping), sizeof(mapping));
    return mapping;
}

/* Texts end with a zero, so each of them does. */
static bool has_path(const struct client_space *client, uint32_t at)
{
    const char *path = client->texts + at;

    return at < client->known.texts && (!*path || *path == '/') &&
           strnlen(path, AGENT_PATH_MAX) < AGENT_PATH_MAX;
}

/* Finds the parts of a message, whose size says that they are all there. */
static bool find_parts(const void *message, size_t size,
                       struct client_space *client)
{
    const size_t first = sizeof(client->head) + sizeof(client->known);
    size_t mappings;

    if ( size < first )
        return false;
    memcpy(&client->head, message, sizeof(client->head));
    memcpy(&client->known, (const char *)message + sizeof(client->head),
           sizeof(client->known));
    if ( client->head.count > AGENT_MAPPINGS_MAX )
        return false;
    mappings = client->head.count * sizeof(struct agent_known_mapping);
    client->mappings = (const char *)message + first;
    client->texts = client->mappings + mappings;
    return size == first + mappings + client->known.texts;
}

static bool is_whole(const struct client_space *client)
{
    if ( !client->known.tgid || client->known.tgid > INT32_MAX ||
         !client->known.texts || client->texts[client->known.texts - 1] )
        return false;
    for ( uint32_t i = 0; i < client->head.count; i++ )
        if ( !has_path(client, mapping_at(client, i).path) )
            return false;
    return true;
}

bool client_space_take(struct space_history *history, const void *message,
                       size_t size)
{
    struct client_space client;
    int32_t tgid;

    if ( !find_parts(message, size, &client) || !is_whole(&client) )
        return false;
    tgid = (int32_t)client.known.tgid;
    space_history_tell(history, tgid, client.known.since);
    for ( uint32_t i = 0; i < client.head.count; i++ )
    {
        const struct agent_known_mapping from = mapping_at(&client, i);
        const struct past_mapping mapping = {.start = from.start,
                                             .end = from.end,
                                             .offset = from.offset,
                                             .since = client.known.since};

        space_history_map(history, tgid, &mapping, client.texts + from.path);
    }
    return true;
}
