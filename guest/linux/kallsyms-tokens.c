/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the table of tokens by its index, and expands names. */
#include "kallsyms-tokens.h"

#include <string.h>

#define TOKENS 256u

/* Indexes the 256 strings in size bytes.  Returns false if they are fewer. */
static bool take_strings(struct kallsyms_tokens *tokens, size_t size)
{
    uint32_t i, used = 0;

    for ( i = 0; i < TOKENS; i++ )
    {
        const char *end = memchr(tokens->table + used, '\0', size - used);

        if ( !end )
            return false;
        tokens->index[i] = (uint16_t)used;
        used = (uint32_t)(end - tokens->table) + 1;
    }
    tokens->size = used;
    return true;
}

/* A character that occurs in names stands for itself, as digits always do. */
static bool has_digits(const struct kallsyms_tokens *tokens)
{
    int digit;

    for ( digit = '0'; digit <= '9'; digit++ )
    {
        const char *token = tokens->table + tokens->index[digit];

        if ( token[0] != digit || token[1] )
            return false;
    }
    return true;
}

static bool is_index(struct guest_memory *memory, uint64_t address,
                     const struct kallsyms_tokens *tokens)
{
    uint16_t index[TOKENS];

    return guest_memory_get(memory, address, index, sizeof(index)) &&
           !memcmp(index, tokens->index, sizeof(index));
}

bool tokens_read(struct guest_memory *memory, uint64_t address,
                 struct kallsyms_tokens *ret)
{
    size_t got = guest_memory_read(memory, address, ret->table, 1024);

    if ( got < 1024 )
        return false;
    /* Most tables have about 1 KiB. */
    if ( !take_strings(ret, got) )
    {
        got += guest_memory_read(memory, address + got, ret->table + got,
                                 sizeof(ret->table) - got);
        if ( !take_strings(ret, got) )
            return false;
    }
    address += ret->size;
    return has_digits(ret) &&
           (is_index(memory, tokens_align(address, 4), ret) ||
            is_index(memory, tokens_align(address, 8), ret));
}

uint64_t tokens_read_before(struct guest_memory *memory, uint64_t address,
                            struct kallsyms_tokens *ret)
{
    uint16_t index[TOKENS];
    uint64_t at, highest;
    uint32_t i;

    if ( !guest_memory_get(memory, address, index, sizeof(index)) || index[0] )
        return 0;
    for ( i = 1; i < TOKENS; i++ )
        if ( index[i] <= index[i - 1] )
            return 0;
    /* The last token's length is not known; its start is. */
    highest = (address - index[TOKENS - 1] - 1) & ~3ull;
    for ( at = highest; at > highest - 64; at -= 4 )
        if ( tokens_read(memory, at, ret) )
            return at;
    return 0;
}

/* A length of 128 or more has a second byte since Linux commit 73bbb94466fd
 * ("kallsyms: support "big" kernel symbols") (v6.1). */
uint32_t tokens_length(const uint8_t *at, const uint8_t *end, uint32_t *ret)
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

bool tokens_expand(const struct kallsyms_tokens *tokens, const uint8_t *at,
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
