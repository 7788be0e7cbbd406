/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that guests wrote: what may stand in a session and on a terminal. */
#ifndef XENOPROF_CAGE_PRINTABLE_H
#define XENOPROF_CAGE_PRINTABLE_H

#include <stdbool.h>
#include <string.h>

/* Returns whether all of the characters are printable, and not spaces. */
static inline bool is_printable(const char *text, size_t length)
{
    for ( size_t i = 0; i < length; i++ )
        if ( (unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f )
            return false;
    return true;
}

/* Returns whether a text ends in its room, with a zero, and is printable. */
static inline bool is_printable_text(const char *text, size_t room)
{
    size_t length = strnlen(text, room);

    return length < room && is_printable(text, length);
}

#endif
