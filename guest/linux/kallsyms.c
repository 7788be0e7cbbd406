/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up symbols by address and by name. */
#include "kallsyms.h"

#include <stdlib.h>
#include <string.h>

void kallsyms_close(struct kallsyms *kallsyms)
{
    if ( !kallsyms )
        return;
    if ( !kallsyms->borrowed )
    {
        free(kallsyms->offsets);
        free(kallsyms->names);
        free(kallsyms->markers);
    }
    free(kallsyms);
}

bool kallsyms_name(const struct kallsyms *kallsyms, uint32_t index, char *to)
{
    const uint8_t *at = kallsyms->names;
    const uint8_t *end = at + kallsyms->names_size;
    uint32_t length, head, left = index % KALLSYMS_BLOCK;

    if ( index >= kallsyms->count )
        return false;
    at += kallsyms->markers[index / KALLSYMS_BLOCK];
    for ( ;; )
    {
        head = tokens_length(at, end, &length);
        if ( !head || length > (size_t)(end - at) - head )
            return false; /* the table is wrong */
        at += head;
        if ( !left-- )
            break;
        at += length;
    }
    return length && tokens_expand(&kallsyms->tokens, at, length, to);
}

/* Returns how many symbols lie below offset or, with at_it, not above it. */
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
    uint32_t after = count_until(kallsyms, offset, true);

    if ( after == kallsyms->first )
        return false;
    *index = count_until(kallsyms, kallsyms->offsets[after - 1], false);
    return true;
}

uint32_t kallsyms_next(const struct kallsyms *kallsyms, uint32_t index)
{
    uint32_t next = count_until(kallsyms, kallsyms->offsets[index], true);

    return next < kallsyms->count ? kallsyms->offsets[next] : 0;
}

/* Rules out most names that are not wanted, without expanding them. */
struct name_filter {
    uint16_t sizes[256]; /* of the tokens */
    /* Names that are so long, or have that initial, as bits of their numbers
     * modulo 32. */
    uint32_t lengths[KALLSYMS_NAME_MAX];
    uint32_t initials[256];
};

static void make_filter(struct name_filter *filter,
                        const struct kallsyms_tokens *tokens,
                        const struct kallsyms_wanted *wanted, size_t count)
{
    memset(filter, 0, sizeof(*filter));
    for ( int i = 0; i < 256; i++ )
        filter->sizes[i] = strlen(tokens->table + tokens->index[i]);
    for ( size_t n = 0; n < count; n++ )
    {
        /* With its type before it. */
        filter->lengths[strlen(wanted[n].name) + 1] |= 1u << n % 32;
        filter->initials[(uint8_t)wanted[n].name[0]] |= 1u << n % 32;
    }
}

/* Returns the length of a name with its type, 0 if no name is like that. */
static uint32_t measure(const struct name_filter *filter, const uint8_t *at,
                        uint32_t length)
{
    uint32_t sum = 0;

    for ( uint32_t i = 0; i < length; i++ )
        sum += filter->sizes[at[i]];
    return sum >= 2 && sum < KALLSYMS_NAME_MAX ? sum : 0;
}

/* Returns the first letter behind the type; one token may have both. */
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
    bool absolute = index < kallsyms->first;

    for ( size_t n = 0; n < count; n++ )
        if ( !wanted[n].found && (wanted[n].per_cpu || !absolute) &&
             !strcmp(name, wanted[n].name) )
        {
            wanted[n].found = true;
            wanted[n].absolute = absolute;
            wanted[n].offset = absolute ? ~kallsyms->offsets[index]
                                        : kallsyms->offsets[index];
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
    struct name_filter filter;

    make_filter(&filter, tokens, wanted, count);
    for ( i = 0; i < kallsyms->count; i++, at += length )
    {
        head = tokens_length(at, end, &length);
        if ( !head || length > (size_t)(end - at) - head )
            return false;
        at += head;
        size = measure(&filter, at, length);
        if ( !size && i >= kallsyms->first )
            return false;
        if ( filter.lengths[size] &&
             (filter.lengths[size] &
              filter.initials[initial(tokens, at, length)]) &&
             tokens_expand(tokens, at, length, name) )
            take_wanted(kallsyms, i, name + 1, wanted, count);
    }
    return true;
}
