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
    return true;
}

bool agent_check_inlined(const void *message, const struct agent_head *head,
                         uint32_t count, struct agent_reply *ret)
{
    const struct agent_inlined *inlined = (const void *)((const char *)message +
                                                         sizeof(*head));
    const char *texts = (const char *)(inlined + count);
    const char *end = (const char *)message + head->length;

    if ( head->count != count || count > AGENT_INLINES_MAX ||
         head->length <= sizeof(*head) + count * sizeof(*inlined) )
        return false;
    for ( uint32_t i = 0; i < count; i++ )
        if ( !is_inlined(&inlined[i], texts, end) )
            return false;
    *ret = (struct agent_reply){.kind = AGENT_INLINES,
                                .count = count,
                                .inlined = inlined,
                                .texts = texts};
    for ( uint32_t i = 0; i < count; i++ )
        ret->later |= inlined[i].later;
    return true;
}
