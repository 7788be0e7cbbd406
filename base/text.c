/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One character after another, as the locale reads them. */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define ESCAPE_LENGTH 4u /* \xNN */
#define CUT           ".."

/* Characters that have no shape of their own but change how others are shown:
 * zero width, direction, invisible operators, tags. */
static const struct {
    uint32_t first, last;
} shapeless_ranges[] = {
    {0x00ad, 0x00ad}, {0x061c, 0x061c}, {0x115f, 0x1160},   {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

bool text_shapeless(uint32_t character)
{
    for ( size_t i = 0;
          i < sizeof(shapeless_ranges) / sizeof(shapeless_ranges[0]); i++ )
        if ( character >= shapeless_ranges[i].first &&
             character <= shapeless_ranges[i].last )
            return true;
    return false;
}

static bool character_has_shape(wchar_t character)
{
    return !text_shapeless((uint32_t)character) &&
           iswprint((wint_t)character) && wcwidth(character) >= 0;
}

/* Bytes of the character at text and its columns; a byte that is none, or may
 * not be printed, is 1 byte and -1 columns. */
static size_t measure_character(const char *text, int *columns)
{
    mbstate_t state = {0};
    wchar_t character;
    size_t length;

    /* Nearly all are, and glibc's locales have ASCII as it is. */
    *columns = 1;
    if ( *text >= ' ' && *text <= '~' )
        return 1;
    *columns = -1;
    length = mbrtowc(&character, text, strlen(text), &state);
    if ( length == 0 || length > strlen(text) ||
         !character_has_shape(character) )
        return 1;
    *columns = wcwidth(character);
    return length;
}

char *text_clean(const char *text)
{
    char *clean = malloc(ESCAPE_LENGTH * strlen(text) + 1), *to = clean;

    if ( !clean )
        return NULL;
    while ( *text )
    {
        int columns;
        size_t length = measure_character(text, &columns);

        if ( columns < 0 )
            to += sprintf(to, "\\x%02x", (unsigned char)*text);
        else
        {
            memcpy(to, text, length);
            to += length;
        }
        text += length;
    }
    *to = '\0';
    return clean;
}

void text_print(FILE *file, const char *text, size_t width)
{
    size_t used = 0;

    while ( *text )
    {
        int columns;
        size_t length = measure_character(text, &columns);

        if ( columns < 0 )
            fprintf(file, "\\x%02x", (unsigned char)*text);
        else
            fwrite(text, 1, length, file);
        used += columns < 0 ? ESCAPE_LENGTH : (size_t)columns;
        text += length;
    }
    if ( used < width )
        fprintf(file, "%*s", (int)(width - used), "");
}

size_t text_width(const char *text)
{
    size_t width = 0;

    while ( *text )
    {
        int columns;

        text += measure_character(text, &columns);
        width += columns > 0 ? (size_t)columns : 0;
    }
    return width;
}

size_t text_head(const char *text, size_t width)
{
    const char *at = text;

    while ( *at )
    {
        int columns;
        size_t length = measure_character(at, &columns);

        if ( columns > 0 && (size_t)columns > width )
            break;
        width -= columns > 0 ? (size_t)columns : 0;
        at += length;
    }
    return (size_t)(at - text);
}

/* Where the longest part at the end begins that takes at most width. */
static const char *text_tail(const char *text, size_t width)
{
    size_t left = text_width(text);

    while ( left > width )
    {
        int columns;

        text += measure_character(text, &columns);
        left -= columns > 0 ? (size_t)columns : 0;
    }
    return text;
}

static void pad(FILE *file, size_t columns)
{
    fprintf(file, "%*s", (int)columns, "");
}

/* Columns of what is kept at the end: half, but a path's last name whole where
 * there is room. */
static size_t width_behind(const char *text, size_t room)
{
    const char *slash = strrchr(text, '/');
    size_t last = slash ? text_width(slash + 1) : 0;

    return last > room / 2 && last <= room ? last : room / 2;
}

static void print_cut(FILE *file, const char *text, size_t width)
{
    size_t room = width > strlen(CUT) ? width - strlen(CUT) : 0;
    size_t behind = width_behind(text, room);
    size_t front = text_head(text, room - behind);
    const char *back = text_tail(text, behind);
    size_t used = text_width(back) + strlen(CUT);

    fprintf(file, "%.*s%s", (int)front, text, CUT);
    for ( size_t at = 0; at < front; )
    {
        int columns;

        at += measure_character(text + at, &columns);
        used += columns > 0 ? (size_t)columns : 0;
    }
    for ( ; used < width; used++ )
        fputc('.', file); /* half of a wide character did not fit */
    fputs(back, file);
}

void text_fit(FILE *file, const char *text, size_t width, int right)
{
    size_t own = text_width(text);

    if ( own > width )
    {
        print_cut(file, text, width);
        return;
    }
    if ( right )
        pad(file, width - own);
    fputs(text, file);
    if ( !right )
        pad(file, width - own);
}

/* The shortest sequence, no surrogate, nothing above U+10FFFF (RFC 3629). */
static bool code_point_allowed(uint32_t code, unsigned int length)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

    return code >= smallest[length] && code <= 0x10ffff &&
           (code < 0xd800 || code > 0xdfff);
}

unsigned int text_utf8(const unsigned char *text, uint32_t *ret)
{
    unsigned int length;
    uint32_t code;

    *ret = text[0];
    if ( text[0] < 0x80 )
        return 1;
    if ( (text[0] & 0xe0) == 0xc0 )
        length = 2;
    else if ( (text[0] & 0xf0) == 0xe0 )
        length = 3;
    else if ( (text[0] & 0xf8) == 0xf0 )
        length = 4;
    else
        return 0;
    code = text[0] & (0xff >> (length + 1));
    for ( unsigned int i = 1; i < length; i++ )
    {
        if ( (text[i] & 0xc0) != 0x80 )
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    *ret = code;
    return code_point_allowed(code, length) ? length : 0;
}
