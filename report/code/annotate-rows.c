/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a function's code as rows. */
#include "annotate-rows.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/model/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CODE_COLUMN 29u /* where instructions begin */
#define LINE_COLUMN 9u  /* where lines of source begin: they are longer */
#define CODE_MIN    20u /* columns for both on any screen */
#define LIMIT_HOT   5.0 /* percent */
#define TAB_WIDTH   8u
#define AROUND      5u /* instructions shown around one with samples */
#define QUIET_MIN   4u /* fewer are shown, though they have none */

/* A function whose rows are being printed. */
struct annotating {
    struct annotated *rows;
    const struct function *function;
    const struct code *code;
    struct source_text source;
    struct code_line line; /* the last line printed */
    bool lines;            /* of its code are known */
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
                        const struct hit *hit, bool inside, const char *text)
{
    const struct annotated *rows = annotating->rows;
    const double percent = hit_percent(annotating->function, hit->time,
                                       hit->samples);
    bool hot = hit->samples && percent >= LIMIT_HOT;
    char offset[24];

    snprintf(offset, sizeof(offset), "+0x%" PRIx64,
             hit->key.address - annotating->function->key.start);
    if ( hot )
        screen_begin(rows->screen, COLOUR_HOT, rows->file);
    if ( hit->samples )
        fprintf(rows->file, "%6.2f%%  %7" PRIu64 "%c", percent, hit->samples,
                inside ? '~' : ' ');
    else
        fprintf(rows->file, "%17s", "");
    fprintf(rows->file, " %9s%s", offset, annotating->code->size ? "  " : "");
    put_clean(rows, text, CODE_COLUMN);
    if ( hot )
        screen_end(rows->screen, rows->file);
    fputc('\n', rows->file);
}

/* Returns "mm.c:123  text" with tabs expanded, malloc'ed.  What the session says
 * is a guest's word, or a user's: no file of this host is shown for it. */
static char *line_text(struct annotating *annotating,
                       const struct code_line *line)
{
    const char *slash = strrchr(line->path, '/');
    const char *text = annotating->lines
                           ? code_source(annotating->code, &annotating->source,
                                         line)
                           : NULL;
    char *whole = NULL;
    size_t size, column = 0;
    FILE *memory = must(open_memstream(&whole, &size));

    fprintf(memory, "%s:%d", slash ? slash + 1 : line->path, line->number);
    if ( text && *text )
        fputs("  ", memory);
    for ( ; text && *text && *text != '\r'; text++ )
    {
        size_t wide = *text == '\t' ? TAB_WIDTH - column % TAB_WIDTH : 1;

        fprintf(memory, "%*s%c", (int)wide - 1, "",
                *text == '\t' ? ' ' : *text);
        column += wide;
    }
    return format_close(memory, &whole);
}

/* Finds the line of an address, as the session says. */
static bool find_session_line(const struct function *function, uint64_t address,
                              struct code_line *ret)
{
    for ( size_t i = 0; i < function->count; i++ )
        if ( function->hits[i]->key.address == address &&
             function->hits[i]->path )
        {
            ret->path = must(strdup(function->hits[i]->path));
            ret->number = (int)function->hits[i]->line;
            return true;
        }
    return false;
}

static bool find_line(const struct annotating *annotating, uint64_t address,
                      struct code_line *ret)
{
    return annotating->lines
               ? code_find_line(annotating->code, address, ret)
               : find_session_line(annotating->function, address, ret);
}

/* Print the line of an address, unless it was the last line printed. */
static void put_new_line(struct annotating *annotating, uint64_t address)
{
    const struct annotated *rows = annotating->rows;
    struct code_line line;
    char *text SCOPE_FREE = NULL;

    if ( !find_line(annotating, address, &line) )
        return;
    if ( annotating->line.path && annotating->line.number == line.number &&
         !strcmp(annotating->line.path, line.path) )
    {
        free(line.path);
        return;
    }
    text = line_text(annotating, &line);
    fprintf(rows->file, "%*s", (int)LINE_COLUMN, "");
    screen_begin(rows->screen, COLOUR_MARK, rows->file);
    put_clean(rows, text, LINE_COLUMN);
    screen_end(rows->screen, rows->file);
    fputc('\n', rows->file);
    free(annotating->line.path);
    annotating->line = line;
}

/* How many instructions from the first on are farther than AROUND from one with
 * samples, on both sides. */
static size_t quiet_from(const struct instructions *instructions, size_t first)
{
    size_t next = first, before = first < AROUND ? first : AROUND;

    for ( size_t i = first - before; i < first; i++ )
        if ( instructions->items[i].samples )
            return 0;
    while ( next < instructions->count && !instructions->items[next].samples )
        next++;
    if ( next == instructions->count )
        return next - first;
    return next - first > AROUND ? next - first - AROUND : 0;
}

/* A function may have 30,000 instructions, of which a hundred have samples. */
static void put_instructions(struct annotating *annotating,
                             const struct instructions *instructions)
{
    struct annotated *rows = annotating->rows;

    fputs("percent  samples     offset  instruction\n", rows->file);
    for ( size_t i = 0; i < instructions->count; )
    {
        const struct instruction *next = &instructions->items[i];
        const struct hit hit = {.key.address = next->address,
                                .samples = next->samples,
                                .time = next->time};
        size_t quiet = quiet_from(instructions, i);

        if ( quiet >= QUIET_MIN )
        {
            fprintf(rows->file, "%*s... %zu instructions without samples\n",
                    (int)CODE_COLUMN, "", quiet);
            i += quiet;
            continue;
        }
        rows->inside += next->inside;
        put_new_line(annotating, next->address);
        put_hit_row(annotating, &hit, next->inside, next->text);
        i++;
    }
    rows->outside = instructions->outside.samples;
}

/* Without code. */
static void put_hits(struct annotating *annotating)
{
    const struct function *function = annotating->function;

    fputs("percent  samples     offset\n", annotating->rows->file);
    for ( size_t i = 0; i < function->count; i++ )
    {
        put_new_line(annotating, function->hits[i]->key.address);
        put_hit_row(annotating, function->hits[i], false, "");
    }
}

void annotate_rows(struct annotated *rows, const struct function *function,
                   const struct code *code)
{
    struct annotating annotating = {.rows = rows,
                                    .function = function,
                                    .code = code,
                                    .lines = code_has_lines(code)};
    struct instructions instructions;

    if ( code->size )
    {
        instructions_read(&instructions, code, function);
        put_instructions(&annotating, &instructions);
        instructions_free(&instructions);
    }
    else
        put_hits(&annotating);
    source_free(&annotating.source);
    free(annotating.line.path);
}
