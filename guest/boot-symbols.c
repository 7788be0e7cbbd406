/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing in the file says where the table is, but its parts lie one behind the
 * other, and each can be told from what it says of the one before it:
 *
 *   offsets   32 bits for each symbol, ascending
 *   count     32 bits
 *   names     for each symbol a length, and so many numbers of tokens
 *   markers   where in the names each 256th begins, 32 bits
 *   tokens    256 texts, each with its NUL
 *   index     where in the tokens each begins, 16 bits
 *
 * So the index is found first, and then backwards.  Of an expanded name the
 * first letter is the type.
 */
#include "boot-symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TOKENS     256u
#define STEP       256u /* names from marker to marker */
#define TOKEN_MAX  64u
#define SYMBOL_MAX 512u
#define PACKED_MAX 256u /* packed, with its length */

/* Where each part begins, in bytes; all but the index at a multiple of 4. */
struct boot_symbols {
    const uint8_t *bytes;
    size_t size;
    size_t index, tokens, markers, names, offsets;
    uint32_t marker_count, count;
};

static uint32_t word(const struct boot_symbols *table, size_t at)
{
    uint32_t value;

    memcpy(&value, table->bytes + at, sizeof(value));
    return value;
}

static uint16_t token_at(const struct boot_symbols *table, unsigned int token)
{
    uint16_t value;

    memcpy(&value, table->bytes + table->index + token * sizeof(value),
           sizeof(value));
    return value;
}

static const char *token_text(const struct boot_symbols *table,
                              unsigned int token)
{
    return (const char *)table->bytes + table->tokens + token_at(table, token);
}

/* Is this an index of texts that are not too long? */
static bool is_index(const struct boot_symbols *table)
{
    if ( token_at(table, 0) )
        return false;
    for ( unsigned int i = 1; i < TOKENS; i++ )
    {
        uint32_t last = token_at(table, i - 1), now = token_at(table, i);

        if ( now <= last || now - last > TOKEN_MAX )
            return false;
    }
    return true;
}

/* Are these its texts: does each end just before the next one begins, and the
 * last one before the index? */
static bool are_tokens(const struct boot_symbols *table)
{
    size_t end = table->tokens + token_at(table, TOKENS - 1);

    for ( unsigned int i = 0; i + 1 < TOKENS; i++ )
        if ( strnlen(token_text(table, i), TOKEN_MAX) + 1 !=
             (size_t)token_at(table, i + 1) - token_at(table, i) )
            return false;
    end += strnlen((const char *)table->bytes + end, table->index - end) + 1;
    return end <= table->index && table->index - end < 4;
}

static bool find_tokens(struct boot_symbols *table)
{
    size_t last = token_at(table, TOKENS - 1);

    for ( size_t distance = last + 2; distance <= last + TOKEN_MAX + 4;
          distance++ )
    {
        if ( distance > table->index )
            return false;
        table->tokens = table->index - distance;
        if ( table->tokens % 4 == 0 && are_tokens(table) )
            return true;
    }
    return false;
}

/* They ascend from zero. */
static bool find_markers(struct boot_symbols *table)
{
    uint32_t next = UINT32_MAX;

    table->marker_count = 0;
    for ( table->markers = table->tokens; table->markers >= 4 && next; )
    {
        uint32_t marker = word(table, table->markers - 4);

        if ( marker >= next )
            return false;
        next = marker;
        table->markers -= 4;
        table->marker_count++;
    }
    return !next;
}

/* Do so many names fill the room up to the markers, as those say? */
static bool are_names(const struct boot_symbols *table)
{
    size_t at = table->names;

    for ( uint32_t i = 0; i < table->count; i++ )
    {
        if ( at >= table->markers ||
             (i % STEP == 0 &&
              at - table->names != word(table, table->markers + i / STEP * 4)) )
            return false;
        at += 1u + table->bytes[at];
    }
    return at <= table->markers && table->markers - at < 4;
}

/* The last marker says how far the names reach back, but for the last few. */
static bool find_names(struct boot_symbols *table)
{
    size_t known = word(table, table->tokens - 4), after = 0;

    for ( ; after <= STEP * PACKED_MAX; after += 4 )
    {
        size_t distance = ((known + 3) & ~(size_t)3) + after;

        if ( distance + 4 > table->markers )
            return false;
        table->names = table->markers - distance;
        table->count = word(table, table->names - 4);
        if ( (table->count + STEP - 1) / STEP == table->marker_count &&
             table->count <= (table->names - 4) / 4 && are_names(table) )
            return true;
    }
    return false;
}

static bool find_offsets(struct boot_symbols *table)
{
    table->offsets = table->names - 4 - 4 * (size_t)table->count;
    for ( uint32_t i = 1; i < table->count; i++ )
        if ( word(table, table->offsets + 4 * (size_t)i) <
             word(table, table->offsets + 4 * (size_t)(i - 1)) )
            return false;
    return true;
}

static bool find_table(struct boot_symbols *table)
{
    const size_t index_size = TOKENS * sizeof(uint16_t);

    for ( size_t at = 0; at + index_size <= table->size; at += 2 )
    {
        table->index = at;
        if ( is_index(table) && find_tokens(table) && find_markers(table) &&
             find_names(table) && find_offsets(table) )
            return true;
    }
    return false;
}

/* Returns false if the name is too long. */
static bool expand(const struct boot_symbols *table, size_t at,
                   char name[SYMBOL_MAX])
{
    unsigned int length = table->bytes[at];
    size_t used = 0;

    for ( unsigned int i = 1; i <= length; i++ )
    {
        const char *token = token_text(table, table->bytes[at + i]);
        size_t size = strlen(token);

        if ( used + size >= SYMBOL_MAX )
            return false;
        memcpy(name + used, token, size);
        used += size;
    }
    name[used] = '\0';
    return true;
}

/* Called with each symbol that has a name; the others say where a function
 * ends. */
typedef int each_symbol(uint32_t offset, const char *name, void *self);

static int walk(const struct boot_symbols *table, each_symbol *each, void *self)
{
    size_t at = table->names;
    char name[SYMBOL_MAX];

    for ( uint32_t i = 0; i < table->count; i++ )
    {
        uint32_t offset = word(table, table->offsets + 4 * (size_t)i);
        int result;

        if ( !expand(table, at, name) )
            return -ENODATA;
        result = *name && name[1] ? each(offset, name, self) : 0;
        if ( result )
            return result;
        at += 1u + table->bytes[at];
    }
    return 0;
}

struct boot_lines {
    struct buffer *text;
    uint32_t start; /* offset of _stext */
    bool started;
};

static int find_start(uint32_t offset, const char *name, void *self)
{
    struct boot_lines *lines = self;

    if ( !strcmp(name + 1, "_stext") )
    {
        lines->start = offset;
        lines->started = true;
    }
    return 0;
}

static int add_line(uint32_t offset, const char *name, void *self)
{
    struct boot_lines *lines = self;
    char line[SYMBOL_MAX + 32];
    int length = snprintf(line, sizeof(line), "%016" PRIx64 " %c %s\n",
                          BOOT_TEXT + (int64_t)offset - lines->start, name[0],
                          name + 1);

    return buffer_append(lines->text, line, (size_t)length) ? 0 : -ENOMEM;
}

int boot_symbols_read(const uint8_t *bytes, size_t size, struct buffer *text)
{
    struct boot_symbols table = {.bytes = bytes, .size = size};
    struct boot_lines lines = {.text = text};
    int result;

    if ( !find_table(&table) )
        return -ENODATA;
    result = walk(&table, find_start, &lines);
    if ( !result && !lines.started )
        result = -ENODATA;
    return result ? result : walk(&table, add_line, &lines);
}
