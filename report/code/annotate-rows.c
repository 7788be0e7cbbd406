/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a function's code as rows. */
#include "annotate-rows.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/model/format.h"

#include <inttypes.h>
#include <stdlib.h>

#define CODE_COLUMN 29u /* where instructions begin */
#define LINE_COLUMN 9u  /* where lines of source begin: they are longer */
#define CODE_MIN    20u /* columns for both on any screen */
#define LIMIT_HOT   5.0 /* percent */

/* A function whose rows are being printed. */
struct annotating {
    const struct annotated *rows;
    const struct function *function;
    bool code; /* there is some */
};

static double hit_percent(const struct function *function, uint64_t time,
                          uint64_t samples)
{
    return function->time ? percent_of(time, function->time)
                          : percent_of(samples, function->samples);
}

/* Print text, cleaned and cut at the screen's edge. */
static void put_clean(const struct annotated *rows, const char *text,
                      size_t column)
{
    char *clean SCOPE_FREE = must(text_clean(text));
    size_t room = rows->width > column + CODE_MIN ? rows->width - column
                                                  : CODE_MIN;

    if ( rows->width && text_width(clean) > room )
        text_fit(rows->file, clean, room, 0);
    else
        fputs(clean, rows->file);
}

/* Percent, samples, mark, offset and text. */
static void put_hit_row(const struct annotating *annotating,
                        const struct code_row *row)
{
    const struct annotated *rows = annotating->rows;
    const double percent = hit_percent(annotating->function, row->time,
                                       row->samples);
    bool hot = row->samples && percent >= LIMIT_HOT;
    char offset[24];

    snprintf(offset, sizeof(offset), "+0x%" PRIx64, row->offset);
    if ( hot )
        screen_begin(rows->screen, COLOUR_HOT, rows->file);
    if ( row->samples )
        fprintf(rows->file, "%6.2f%%  %7" PRIu64 "%c", percent, row->samples,
                row->inside ? '~' : ' ');
    else
        fprintf(rows->file, "%17s", "");
    fprintf(rows->file, " %9s%s", offset, annotating->code ? "  " : "");
    put_clean(rows, row->text, CODE_COLUMN);
    if ( hot )
        screen_end(rows->screen, rows->file);
    fputc('\n', rows->file);
}

static void put_line_row(const struct annotated *rows, const char *text)
{
    fprintf(rows->file, "%*s", (int)LINE_COLUMN, "");
    screen_begin(rows->screen, COLOUR_MARK, rows->file);
    put_clean(rows, text, LINE_COLUMN);
    screen_end(rows->screen, rows->file);
    fputc('\n', rows->file);
}

static void put_row(void *context, const struct code_row *row)
{
    const struct annotating *annotating = context;

    switch ( row->kind )
    {
    case CODE_ROW_LINE: put_line_row(annotating->rows, row->text); break;
    case CODE_ROW_INSTRUCTION: put_hit_row(annotating, row); break;
    case CODE_ROW_QUIET:
        fprintf(annotating->rows->file,
                "%*s... %zu instructions without samples\n", (int)CODE_COLUMN,
                "", row->quiet);
        break;
    }
}

void annotate_rows(struct annotated *rows, const struct function *function,
                   const struct code *code)
{
    struct annotating annotating = {rows, function, code->size > 0};
    struct code_rows made = {.put = put_row, .context = &annotating};

    fputs(code->size ? "percent  samples     offset  instruction\n"
                     : "percent  samples     offset\n",
          rows->file);
    code_rows_put(&made, function, code);
    rows->inside = made.inside;
    rows->outside = made.outside;
}
