/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the rows of a function's code. */
#include "code-rows.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

#define TAB_WIDTH 8u
#define AROUND    5u /* instructions shown around one with samples */
#define QUIET_MIN 4u /* fewer are shown, though they have none */

/* A function whose rows are being made. */
struct row_maker {
    struct code_rows *rows;
    const struct function *function;
    const struct code *code;
    struct source_text source;
    struct code_line line; /* the last line that was put */
    bool lines;            /* of its code are known */
    char *asked;           /* the path that was asked last whether it is: */
    bool is_public;
};

static bool may_show(struct row_maker *maker, const char *path)
{
    if ( !maker->rows->shared || !maker->code->file )
        return true;
    if ( !maker->asked || strcmp(maker->asked, path) )
    {
        free(maker->asked);
        maker->asked = must(strdup(path));
        maker->is_public = source_is_public(path);
    }
    return maker->is_public;
}

/* Returns "mm.c:123  text" with tabs expanded, malloc'ed.  What the session says
 * is a guest's word, or a user's: no file of this host is shown for it. */
static char *line_text(struct row_maker *maker, const struct code_line *line)
{
    const char *slash = strrchr(line->path, '/');
    const char *text = maker->lines && may_show(maker, line->path)
                           ? code_source(maker->code, &maker->source, line)
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

static bool find_line(const struct row_maker *maker, uint64_t address,
                      struct code_line *ret)
{
    return maker->lines ? code_find_line(maker->code, address, ret)
                        : find_session_line(maker->function, address, ret);
}

/* Put the line of an address, unless it was the last line that was put. */
static void put_new_line(struct row_maker *maker, uint64_t address)
{
    const struct code_rows *rows = maker->rows;
    struct code_row row = {.kind = CODE_ROW_LINE};
    struct code_line line;
    char *text SCOPE_FREE = NULL;

    if ( !find_line(maker, address, &line) )
        return;
    if ( maker->line.path && maker->line.number == line.number &&
         !strcmp(maker->line.path, line.path) )
    {
        free(line.path);
        return;
    }
    row.text = text = line_text(maker, &line);
    rows->put(rows->context, &row);
    free(maker->line.path);
    maker->line = line;
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
static void put_instructions(struct row_maker *maker,
                             const struct instructions *instructions)
{
    struct code_rows *rows = maker->rows;

    for ( size_t i = 0; i < instructions->count; )
    {
        const struct instruction *next = &instructions->items[i];
        struct code_row row = {.kind = CODE_ROW_INSTRUCTION,
                               .text = next->text,
                               .offset = next->address -
                                         maker->function->key.start,
                               .size = next->size,
                               .samples = next->samples,
                               .time = next->time,
                               .inside = next->inside,
                               .quiet = quiet_from(instructions, i)};

        if ( row.quiet >= QUIET_MIN )
        {
            row.kind = CODE_ROW_QUIET;
            rows->put(rows->context, &row);
            i += row.quiet;
            continue;
        }
        rows->inside += next->inside;
        put_new_line(maker, next->address);
        rows->put(rows->context, &row);
        i++;
    }
    rows->outside = instructions->outside.samples;
}

/* Without code. */
static void put_hits(struct row_maker *maker)
{
    const struct function *function = maker->function;
    const struct code_rows *rows = maker->rows;

    for ( size_t i = 0; i < function->count; i++ )
    {
        const struct hit *hit = function->hits[i];
        const struct code_row row = {.kind = CODE_ROW_INSTRUCTION,
                                     .text = "",
                                     .offset = hit->key.address -
                                               function->key.start,
                                     .size = 1,
                                     .samples = hit->samples,
                                     .time = hit->time};

        put_new_line(maker, hit->key.address);
        rows->put(rows->context, &row);
    }
}

void code_rows_put(struct code_rows *rows, const struct function *function,
                   const struct code *code)
{
    struct row_maker maker = {.rows = rows,
                              .function = function,
                              .code = code,
                              .lines = code_has_lines(code)};
    struct instructions instructions;

    if ( code->size )
    {
        instructions_read(&instructions, code, function);
        put_instructions(&maker, &instructions);
        instructions_free(&instructions);
    }
    else
        put_hits(&maker);
    source_free(&maker.source);
    free(maker.line.path);
    free(maker.asked);
}
