/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header-line.h"

#include "base/must.h"
#include "layout.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "base/wrap.h"
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
        line->memory = must(open_memstream(&line->text, &line->size));
    va_start(arguments, format);
    vfprintf(line->memory, format, arguments);
    va_end(arguments);
}

void header_line_end(struct header_line *line, const char *title)
{
    char *text SCOPE_FREE = NULL, *clean SCOPE_FREE = NULL;

    if ( !line->memory )
        return;
    text = format_close(line->memory, &line->text);
    clean = must(text_clean(text));
    fprintf(line->file, "%-*s", (int)TITLE_WIDTH, title);
    wrap_print(line->file, clean, TITLE_WIDTH, line->report->layout->width);
    fputc('\n', line->file);
}
