/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wrap.h"

#include "text.h"

#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_USUAL 80u
#define WIDTH_LEAST 40u

/* Bytes of text that go on a line of width columns: up to a blank if there is
 * one. */
static size_t fitting(const char *text, size_t width)
{
    size_t head = text_head(text, width), at = head;

    if ( !text[head] )
        return head;
    while ( at && text[at] != ' ' )
        at--;
    while ( at && text[at - 1] == ' ' )
        at--;
    return at ? at : head;
}

void wrap_print(FILE *file, const char *text, size_t indent, size_t width)
{
    size_t room = width > 2 * indent ? width - indent : SIZE_MAX;

    do
    {
        size_t length = fitting(text, room);

        fprintf(file, "%.*s", (int)length, text);
        text += length;
        text += strspn(text, " ");
        if ( *text )
            fprintf(file, "\n%*s", (int)indent, "");
    } while ( *text );
}

size_t wrap_width(FILE *file)
{
    struct winsize size;

    if ( !isatty(fileno(file)) )
        return 0;
    return !ioctl(fileno(file), TIOCGWINSZ, &size) && size.ws_col >= WIDTH_LEAST
               ? size.ws_col
               : WIDTH_USUAL;
}
