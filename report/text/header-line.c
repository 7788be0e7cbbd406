/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header-line.h"

#include "layout.h"
#include "base/text.h"
#include "report/model/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_WIDTH 10u

struct header_line header_line_begin(const struct report *report, FILE *file)
{
    return (struct header_line){.report = report, .file = file};
}

void header_line_add(struct header_line *line, const char *format, ...)
{
    va_list arguments;

    if ( !line->memory )
        line->memory = open_memstream(&line->text, &line->size);
    if ( !line->memory )
        return;
    va_start(arguments, format);
    vfprintf(line->memory, format, arguments);
    va_end(arguments);
}

/* Bytes of text that go on a line of width columns: up to a blank if there is
 * one. */
static size_t fitting(const char *text, size_t width)
{
    size_t head = text_head(text, width), at = head;

    if ( !text[head] || text[head] == ' ' )
        return head;
    while ( at && text[at] != ' ' )
        at--;
    while ( at && text[at - 1] == ' ' )
        at--;
    return at ? at : head;
}

static void print_wrapped(FILE *file, const char *title, const char *text,
                          size_t width)
{
    size_t room = width > 2 * TITLE_WIDTH ? width - TITLE_WIDTH : SIZE_MAX;

    do
    {
        size_t length = fitting(text, room);

        fprintf(file, "%-*s%.*s\n", (int)TITLE_WIDTH, title, (int)length, text);
        text += length;
        text += strspn(text, " ");
        title = "";
    } while ( *text );
}

bool header_line_end(struct header_line *line, const char *title)
{
    char *clean = NULL;

    if ( !line->memory )
        return true;
    if ( !fclose(line->memory) )
        clean = text_clean(line->text);
    if ( clean )
        print_wrapped(line->file, title, clean, line->report->layout->width);
    free(line->text);
    free(clean);
    return clean;
}
