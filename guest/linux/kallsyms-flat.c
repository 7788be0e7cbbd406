/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols as flat bytes, which are checked before they are used. */
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"

struct flat_kallsyms {
    uint32_t count, first, names_size, tokens_size;
};

static size_t markers_of(uint32_t count)
{
    return (count + (size_t)KALLSYMS_BLOCK - 1) / KALLSYMS_BLOCK;
}

bool kallsyms_put(const struct kallsyms *kallsyms, struct buffer *to)
{
    const struct kallsyms_tokens *tokens = &kallsyms->tokens;
    const struct flat_kallsyms head = {kallsyms->count, kallsyms->first,
                                       kallsyms->names_size, tokens->size};

    return flat_put(to, &head, 1, sizeof(head)) &&
           flat_put(to, kallsyms->offsets, head.count, 4) &&
           flat_put(to, kallsyms->markers, markers_of(head.count), 4) &&
           flat_put(to, tokens->index, 256, sizeof(tokens->index[0])) &&
           flat_put(to, tokens->table, head.tokens_size, 1) &&
           flat_put(to, kallsyms->names, head.names_size, 1);
}

static bool get_tokens(struct cursor *from, const struct flat_kallsyms *head,
                       struct kallsyms_tokens *ret)
{
    const uint16_t *index = flat_get(from, 256, sizeof(*index));
    const char *table = flat_get(from, head->tokens_size, 1);

    if ( !index || !table || !head->tokens_size ||
         head->tokens_size > KALLSYMS_TOKENS_MAX ||
         table[head->tokens_size - 1] )
        return false;
    for ( int i = 0; i < 256; i++ )
        if ( index[i] >= head->tokens_size )
            return false;
    memcpy(ret->index, index, sizeof(ret->index));
    memcpy(ret->table, table, head->tokens_size);
    ret->size = head->tokens_size;
    return true;
}

static bool get_all(struct cursor *from, const struct flat_kallsyms *head,
                    struct kallsyms *ret)
{
    size_t markers = markers_of(head->count);

    ret->count = head->count;
    ret->first = head->first;
    ret->names_size = head->names_size;
    ret->offsets = (void *)flat_get(from, head->count, 4);
    ret->markers = (void *)flat_get(from, markers, 4);
    if ( !get_tokens(from, head, &ret->tokens) )
        return false;
    ret->names = (void *)flat_get(from, head->names_size, 1);
    if ( from->bad || ret->first >= ret->count )
        return false;
    for ( size_t i = 0; i < markers; i++ )
        if ( ret->markers[i] > ret->names_size )
            return false;
    return true;
}

struct kallsyms *kallsyms_get(struct cursor *from)
{
    const struct flat_kallsyms *head = flat_get(from, 1, sizeof(*head));
    struct kallsyms *ret = calloc(1, sizeof(*ret));

    if ( ret )
        ret->borrowed = true;
    if ( head && ret && get_all(from, head, ret) )
        return ret;
    kallsyms_close(ret);
    return NULL;
}
