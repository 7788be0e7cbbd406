/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages lie at a multiple of 8, as do all that they have. */
#include "agent-checks.h"

#include <string.h>

bool agent_check_mapped(const void *message, const struct agent_head *head,
                        struct agent_reply *ret)
{
    const struct agent_mapping *mappings =
        (const void *)((const char *)message + sizeof(*head));
    uint64_t end = 0;

    if ( head->count > AGENT_MAPPINGS_MAX ||
         head->length != sizeof(*head) + head->count * sizeof(*mappings) )
        return false;
    for ( uint32_t i = 0; i < head->count; i++ )
    {
        if ( mappings[i].start < end || mappings[i].start >= mappings[i].end )
            return false;
        end = mappings[i].end;
    }
    *ret = (struct agent_reply){
        .kind = AGENT_SPACE, .count = head->count, .mappings = mappings};
    return true;
}

bool agent_check_table(const void *message, const struct agent_head *head,
                       uint64_t offset, struct agent_reply *ret)
{
    const size_t first = sizeof(*head) + sizeof(struct agent_table);
    const char *bytes = message;
    struct agent_table table;
    uint64_t left;
    bool later;

    if ( head->count || head->length < first )
        return false;
    memcpy(&table, bytes + sizeof(*head), sizeof(table));
    later = head->version >= AGENT_VERSION_LATER &&
            table.size == AGENT_TABLE_LATER;
    if ( later && table.image )
        table.size = 0;
    left = offset < table.size ? table.size - offset : 0;
    if ( (!table.image && table.size) ||
         head->length - first !=
             (left < AGENT_PIECE_MAX ? left : AGENT_PIECE_MAX) )
        return false;
    *ret = (struct agent_reply){.kind = AGENT_ROWS,
                                .later = later,
                                .table = table,
                                .piece = bytes + first,
                                .size = head->length - first};
    return true;
}

bool agent_check_text(const char *texts, uint32_t at, const char *end)
{
    const char *text = texts + at;
    size_t room = at < AGENT_MESSAGE_MAX && text < end ? (size_t)(end - text)
                                                       : 0;
    size_t length = strnlen(text,
                            room < AGENT_TEXT_MAX ? room : AGENT_TEXT_MAX);

    if ( length == room || length == AGENT_TEXT_MAX )
        return false;
    for ( size_t i = 0; i < length; i++ )
        if ( text[i] < ' ' || text[i] > '~' )
            return false;
    return true;
}

/* A line is said with its file, or not at all. */
static bool is_source(const struct agent_source *source, const char *texts,
                      const char *end)
{
    return agent_check_text(texts, source->path, end) &&
           source->line <= INT32_MAX && !texts[source->path] == !source->line;
}

static bool is_inlined(const struct agent_inlined *inlined, const char *texts,
                       const char *end)
{
    if ( inlined->later > 1 || inlined->levels > AGENT_LEVELS_MAX ||
         (inlined->later && inlined->levels) )
        return false;
    for ( uint32_t i = 0; i < inlined->levels; i++ )
        if ( !agent_check_text(texts, inlined->names[i], end) ||
             !texts[inlined->names[i]] )
            return false;
    for ( uint32_t i = 0; i <= inlined->levels; i++ )
        if ( !is_source(&inlined->sources[i], texts, end) )
            return false;
    return true;
}

struct agent_inlined agent_reply_inlined(const struct agent_reply *reply,
                                         uint32_t index)
{
    struct agent_inlined inlined = {.levels = 0};

    memcpy(&inlined, (const char *)reply->inlined + index * reply->inlined_size,
           reply->inlined_size);
    return inlined;
}

bool agent_check_inlined(const void *message, const struct agent_head *head,
                         uint32_t count, struct agent_reply *ret)
{
    const char *first = (const char *)message + sizeof(*head);
    const char *end = (const char *)message + head->length;
    const size_t each = agent_inlined_size(head->version);
    const char *texts = first + count * each;
    bool later = false;

    if ( head->count != count || count > AGENT_INLINES_MAX ||
         head->length <= sizeof(*head) + count * each )
        return false;
    *ret = (struct agent_reply){.kind = AGENT_INLINES,
                                .count = count,
                                .inlined = first,
                                .inlined_size = each,
                                .texts = texts};
    for ( uint32_t i = 0; i < count; i++ )
    {
        const struct agent_inlined inlined = agent_reply_inlined(ret, i);

        if ( !is_inlined(&inlined, texts, end) )
            return false;
        later |= inlined.later;
    }
    ret->later = later;
    return true;
}
