/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folded-name.h"

#include "base/must.h"
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at text, 0 if it is none. */
static size_t decode(const unsigned char *text, uint32_t *ret)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80           ? 1
                    : (text[0] >> 5) == 0x06 ? 2
                    : (text[0] >> 4) == 0x0e ? 3
                    : (text[0] >> 3) == 0x1e ? 4
                                             : 0;

    if ( length < 2 )
    {
        *ret = text[0];
        return length;
    }
    *ret = text[0] & (0x7fu >> length);
    for ( size_t i = 1; i < length; i++ )
    {
        if ( (text[i] & 0xc0) != 0x80 )
            return 0;
        *ret = *ret << 6 | (text[i] & 0x3f);
    }
    return *ret < least[length] || *ret > 0x10ffff || *ret >> 11 == 0x1b
               ? 0
               : length;
}

static bool is_harmless(uint32_t character)
{
    return character >= 0x20 && (character < 0x7f || character > 0x9f) &&
           !text_shapeless(character);
}

char *folded_name(const char *name, const char *suffix)
{
    char *text = must(malloc(strlen(name) + strlen(suffix) + 1)), *to = text;

    while ( *name )
    {
        uint32_t character;
        size_t length = decode((const unsigned char *)name, &character);
        bool harmless = length && is_harmless(character);

        length = length ? length : 1;
        if ( harmless )
            memcpy(to, name, length);
        else
            memset(to, '?', length);
        if ( *to == ';' )
            *to = ':';
        to += length;
        name += length;
    }
    strcpy(to, suffix);
    return text;
}

char *folded_frame_name(const char *symbol, const struct frame_key *key)
{
    const char *suffix = "";

    if ( key->kind == FRAME_CODE || key->kind == FRAME_UNKNOWN )
        suffix = key->mode == XENOPROF_MODE_XEN      ? "_[x]"
                 : key->mode == XENOPROF_MODE_KERNEL ? "_[k]"
                                                     : "";
    return folded_name(symbol, suffix);
}
