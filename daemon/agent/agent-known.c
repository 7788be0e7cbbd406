/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings first, so that their texts are behind all that there may be. */
#include "agent-known.h"

#include <stdbool.h>
#include <string.h>

#define BODY_MAX (AGENT_MESSAGE_MAX - sizeof(struct agent_head))

/* Texts that are gathered while it is not known yet where they will begin. */
struct known_texts {
    char bytes[BODY_MAX];
    size_t size;
};

static bool is_mapping(const struct agent_file_mapping *mapping)
{
    size_t length = strnlen(mapping->path, AGENT_PATH_MAX);

    return mapping->start < mapping->end && length < AGENT_PATH_MAX &&
           (!length || mapping->path[0] == '/');
}

/* Returns where the path is among the texts, which it is added to if it is not
 * there yet and room is so much. */
static size_t put_known_path(struct known_texts *texts, const char *path,
                             size_t room)
{
    size_t size = strlen(path) + 1, at = 0;

    while ( at < texts->size && strcmp(texts->bytes + at, path) )
        at += strlen(texts->bytes + at) + 1;
    if ( at < texts->size || at + size > room )
        return at;
    memcpy(texts->bytes + at, path, size);
    texts->size += size;
    return at;
}

size_t agent_known_put(uint32_t tgid, uint64_t since,
                       const struct agent_file_mapping *mappings, size_t count,
                       uint64_t *body, uint32_t *sent)
{
    static struct known_texts texts;
    struct agent_known known = {.since = since, .tgid = tgid};
    char *to = (char *)body;
    size_t size = sizeof(known);

    texts.size = 0;
    put_known_path(&texts, "", 1);
    *sent = 0;
    for ( size_t i = 0; i < count && *sent < AGENT_MAPPINGS_MAX; i++ )
    {
        struct agent_known_mapping one = {.start = mappings[i].start,
                                          .end = mappings[i].end,
                                          .offset = mappings[i].offset};
        size_t room = BODY_MAX - size - sizeof(one);

        if ( size + sizeof(one) + texts.size > BODY_MAX ||
             !is_mapping(&mappings[i]) )
            continue;
        one.path = (uint32_t)put_known_path(&texts, mappings[i].path, room);
        if ( one.path >= texts.size )
            continue;
        memcpy(to + size, &one, sizeof(one));
        size += sizeof(one);
        ++*sent;
    }
    known.texts = (uint32_t)texts.size;
    memcpy(to, &known, sizeof(known));
    memcpy(to + size, texts.bytes, texts.size);
    return size + texts.size;
}
