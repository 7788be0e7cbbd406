/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cleans texts that others chose, and writes them as XML. */
#include "markup.h"

#include "base/must.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE_MAX 10u /* \u{10ffff} */
#define CUT        ".."

/* Characters that XML forbids, or that change how others are shown. */
static const struct {
    uint32_t first, last;
} shapeless_codes[] = {{0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},
                       {0x061c, 0x061c},   {0x115f, 0x1160},   {0x180e, 0x180e},
                       {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
                       {0xd800, 0xdfff},   {0xe000, 0xf8ff},   {0xfe00, 0xfe0f},
                       {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},
                       {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff}};

static bool code_has_shape(uint32_t code)
{
    for ( size_t i = 0;
          i < sizeof(shapeless_codes) / sizeof(shapeless_codes[0]); i++ )
        if ( code >= shapeless_codes[i].first &&
             code <= shapeless_codes[i].last )
            return false;
    return (code & 0xfffe) != 0xfffe;
}

/* Returns the length of the sequence that first begins, or 0 if none does. */
static unsigned int sequence_length(unsigned char first)
{
    if ( first < 0x80 )
        return 1;
    if ( first >= 0xc2 && first < 0xe0 )
        return 2;
    if ( first >= 0xe0 && first < 0xf0 )
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* Decode the character at text.  Returns its length in bytes, or 0 if the bytes
 * are not UTF-8. */
static unsigned int decode_markup(const char *text, uint32_t *ret)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned int length = sequence_length(bytes[0]);
    uint32_t code = length > 1 ? bytes[0] & (0x7fu >> length) : bytes[0];

    for ( unsigned int i = 1; i < length; i++ )
    {
        if ( (bytes[i] & 0xc0) != 0x80 )
            return 0;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    if ( length && (code < least[length] || code > 0x10ffff) )
        return 0;
    *ret = code;
    return length;
}

char *markup_clean(const char *text)
{
    char *clean = must(malloc(ESCAPE_MAX * strlen(text) + 1)), *to = clean;

    while ( *text )
    {
        uint32_t code = 0;
        unsigned int length = decode_markup(text, &code);

        if ( !length || code < 0x20 || code == 0x7f )
            to += sprintf(to, "\\x%02x", (unsigned char)*text);
        else if ( !code_has_shape(code) )
            to += sprintf(to, "\\u{%" PRIx32 "}", code);
        else
        {
            memcpy(to, text, length);
            to += length;
        }
        text += length ? length : 1;
    }
    *to = '\0';
    return clean;
}

static const char *next_clean_character(const char *clean)
{
    do
        clean++;
    while ( (*clean & 0xc0) == 0x80 );
    return clean;
}

size_t markup_length(const char *clean)
{
    size_t count = 0;

    for ( ; *clean; clean = next_clean_character(clean) )
        count++;
    return count;
}

static void put_byte(FILE *file, char byte)
{
    switch ( byte )
    {
    case '<': fputs("&lt;", file); break;
    case '>': fputs("&gt;", file); break;
    case '&': fputs("&amp;", file); break;
    case '"': fputs("&quot;", file); break;
    case '\'': fputs("&#39;", file); break;
    default: putc_unlocked(byte, file);
    }
}

void markup_put(FILE *file, const char *clean, size_t most)
{
    const char *end = clean + strlen(clean);
    bool cut = (size_t)(end - clean) > most && markup_length(clean) > most;

    if ( cut )
    {
        end = clean;
        for ( size_t i = strlen(CUT); i < most; i++ )
            end = next_clean_character(end);
    }
    for ( const char *at = clean; at < end; at++ )
        put_byte(file, *at);
    if ( cut )
        fputs(CUT, file);
}
