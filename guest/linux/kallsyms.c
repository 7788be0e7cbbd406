/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "kallsyms-inside.h"

void kallsyms_close(struct kallsyms *kallsyms)
{
    if ( !kallsyms )
        return;
    free(kallsyms->offsets);
    free(kallsyms->names);
    free(kallsyms->markers);
    free(kallsyms);
}

uint32_t kallsyms_length(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    if ( at < end && at[0] && !(at[0] & 0x80) )
    {
        *ret = at[0];
        return 1;
    }
    if ( end - at < 2 || !at[0] || (at[1] & 0x80) )
        return 0;
    *ret = (at[0] & 0x7fu) | (uint32_t)at[1] << 7;
    return *ret ? 2 : 0;
}

/* Where name number index lies; its length, 0 if the table is wrong. */
static uint32_t find_name(const struct kallsyms *kallsyms, uint32_t index,
                          const uint8_t **at)
{
    const uint8_t *end = kallsyms->names + kallsyms->names_size;
    uint32_t length, head;
    uint32_t left = index % KALLSYMS_BLOCK;

    *at = kallsyms->names + kallsyms->markers[index / KALLSYMS_BLOCK];
    for ( ;; )
    {
        head = kallsyms_length(*at, end, &length);
        if ( !head || length > (size_t)(end - *at) - head )
            return 0;
        *at += head;
        if ( !left-- )
            return length;
        *at += length;
    }
}

bool kallsyms_expand(const struct kallsyms_tokens *tokens, const uint8_t *at,
                     uint32_t length, char *to)
{
    uint32_t i, used = 0;
    size_t size;

    for ( i = 0; i < length; i++ )
    {
        const char *token = tokens->table + tokens->index[at[i]];

        size = strlen(token);
        if ( size >= KALLSYMS_NAME_MAX - used )
            return false;
        memcpy(to + used, token, size);
        used += (uint32_t)size;
    }
    to[used] = '\0';
    return used >= 2;
}

bool kallsyms_name(const struct kallsyms *kallsyms, uint32_t index, char *to)
{
    const uint8_t *at;
    uint32_t length;

    if ( index >= kallsyms->count )
        return false;
    length = find_name(kallsyms, index, &at);
    return length && kallsyms_expand(&kallsyms->tokens, at, length, to);
}

/* How many symbols, of all, lie below offset, or at it too. */
static uint32_t count_until(const struct kallsyms *kallsyms, uint32_t offset,
                            bool at_it)
{
    uint32_t low = kallsyms->first, high = kallsyms->count;

    while ( low < high )
    {
        uint32_t middle = low + (high - low) / 2;
        uint32_t here = kallsyms->offsets[middle];

        if ( here < offset || (at_it && here == offset) )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool kallsyms_at(const struct kallsyms *kallsyms, uint32_t offset,
                 uint32_t *index)
{
    uint32_t behind = count_until(kallsyms, offset, true);

    if ( behind == kallsyms->first )
        return false;
    *index = count_until(kallsyms, kallsyms->offsets[behind - 1], false);
    return true;
}

uint32_t kallsyms_next(const struct kallsyms *kallsyms, uint32_t index)
{
    uint32_t next = count_until(kallsyms, kallsyms->offsets[index], true);

    return next < kallsyms->count ? kallsyms->offsets[next] : 0;
}

/* What tells most names from those that are wanted, without expanding them. */
struct outline {
    uint16_t sizes[256]; /* of the tokens */
    bool lengths[KALLSYMS_NAME_MAX];
    bool initials[256];
};

static void make_outline(struct outline *outline,
                         const struct kallsyms_tokens *tokens,
                         const struct kallsyms_wanted *wanted, size_t count)
{
    memset(outline, 0, sizeof(*outline));
    for ( int i = 0; i < 256; i++ )
        outline->sizes[i] = strlen(tokens->table + tokens->index[i]);
    for ( size_t n = 0; n < count; n++ )
    {
        /* With its type before it. */
        outline->lengths[strlen(wanted[n].name) + 1] = true;
        outline->initials[(uint8_t)wanted[n].name[0]] = true;
    }
}

/* Its length with its type; 0 if it is not as a name can be. */
static uint32_t measure(const struct outline *outline, const uint8_t *at,
                        uint32_t length)
{
    uint32_t sum = 0;

    for ( uint32_t i = 0; i < length; i++ )
        sum += outline->sizes[at[i]];
    return sum >= 2 && sum < KALLSYMS_NAME_MAX ? sum : 0;
}

/* The first letter behind its type; both may be in one token. */
static uint8_t initial(const struct kallsyms_tokens *tokens, const uint8_t *at,
                       uint32_t length)
{
    uint32_t before = 0;

    for ( uint32_t i = 0; i < length; i++ )
        for ( const char *to = tokens->table + tokens->index[at[i]]; *to; to++ )
            if ( before++ )
                return (uint8_t)*to;
    return 0;
}

static void take_wanted(const struct kallsyms *kallsyms, uint32_t index,
                        const char *name, struct kallsyms_wanted *wanted,
                        size_t count)
{
    for ( size_t n = 0; n < count; n++ )
        if ( !wanted[n].found && !strcmp(name, wanted[n].name) )
        {
            wanted[n].found = true;
            wanted[n].offset = kallsyms->offsets[index];
        }
}

bool kallsyms_look_up(const struct kallsyms *kallsyms,
                      struct kallsyms_wanted *wanted, size_t count)
{
    const struct kallsyms_tokens *tokens = &kallsyms->tokens;
    const uint8_t *at = kallsyms->names;
    const uint8_t *end = at + kallsyms->names_size;
    uint32_t i, length, head, size;
    char name[KALLSYMS_NAME_MAX];
    struct outline outline;

    make_outline(&outline, tokens, wanted, count);
    for ( i = 0; i < kallsyms->count; i++, at += length )
    {
        head = kallsyms_length(at, end, &length);
        if ( !head || length > (size_t)(end - at) - head )
            return false;
        at += head;
        if ( i < kallsyms->first )
            continue;
        size = measure(&outline, at, length);
        if ( !size )
            return false;
        if ( outline.lengths[size] &&
             outline.initials[initial(tokens, at, length)] &&
             kallsyms_expand(tokens, at, length, name) )
            take_wanted(kallsyms, i, name + 1, wanted, count);
    }
    return true;
}
