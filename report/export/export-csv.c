/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=csv: a line a sample, as RFC 4180 has it but for line ends, which
 * are those of all our text.  The first line names the columns.
 */
#include "export-lines.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/text/folded-name.h"

#include <stdlib.h>
#include <string.h>

#define UTC_DIGITS 9u

/* What is put between quotation marks.  A spreadsheet would compute what begins
 * as a formula does, and guests choose names. */
static char *quotable(const char *text)
{
    char *ret = must(malloc(2 * strlen(text) + 2)), *to = ret;

    if ( *text && strchr("=+-@", *text) )
        *to++ = '\'';
    for ( ; *text; text++ )
    {
        if ( *text == '"' )
            *to++ = '"';
        *to++ = *text;
    }
    *to = '\0';
    return ret;
}

static char *quoted_function(const struct walk_function *function)
{
    char *name SCOPE_FREE = lines_folded_function(function);

    return quotable(name);
}

static char *quoted_label(const char *text)
{
    char *name SCOPE_FREE = lines_folded_label(text);

    return quotable(name);
}

static void put_quoted(struct export_lines *csv, const struct lines_name *name)
{
    lines_text(csv, "\"");
    lines_put(csv, name);
    lines_text(csv, "\"");
}

/* For what is short: nothing of it is kept. */
static void put_text(struct export_lines *csv, const char *text)
{
    lines_text(csv, "\"");
    for ( ; *text; text++ )
        lines_bytes(csv, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    lines_text(csv, "\",");
}

/* Nothing stands for what is not known. */
static void put_label(struct export_lines *csv, const struct cell *cell,
                      enum walk_label label)
{
    const uint64_t value = walk_label_value(&csv->walk, cell, label);

    if ( value != LABEL_NONE && walk_labels[label].number )
        lines_number(csv, value, 1);
    else if ( value != LABEL_NONE )
        put_quoted(csv, lines_label(csv, label, value));
    lines_text(csv, ",");
}

static void put_times(struct export_lines *csv, uint64_t time)
{
    const struct export_walk *walk = &csv->walk;
    char utc[CLOCK_TEXT];

    lines_number(csv, loaded_since(walk->loaded, time), 1);
    lines_text(csv, ",");
    if ( walk->loaded->clocks.utc_known )
    {
        clock_format_utc(walk_utc(walk, time), UTC_DIGITS, utc);
        lines_text(csv, utc);
    }
    lines_text(csv, ",");
}

static void put_stack(struct export_lines *csv, uint32_t stack)
{
    const struct export_walk *walk = &csv->walk;
    const struct walk_stack *at = &walk->stacks.items[stack];

    put_quoted(csv,
               lines_function(csv, walk->frames.items[at->frame].function));
    lines_text(csv, ",\"");
    lines_stack(csv, stack);
    lines_text(csv, "\"");
}

static void put_sample(struct export_lines *csv,
                       const struct walk_sample *sample)
{
    const struct sample_type *type =
        &csv->walk.loaded->types.type[sample->cell->key.type];

    put_times(csv, sample->time);
    for ( unsigned int label = 0; label < WALK_LABELS; label++ )
        put_label(csv, sample->cell, (enum walk_label)label);
    put_text(csv, type->name);
    put_text(csv, type->unit);
    lines_number(csv, sample->amount, 1);
    lines_text(csv, ",");
    lines_number(csv, sample->count, 1);
    lines_text(csv, ",");
    put_stack(csv, sample->stack);
    lines_end(csv);
}

static void put_head(struct export_lines *csv)
{
    lines_text(csv, "since_start_ns,utc,");
    for ( unsigned int label = 0; label < WALK_LABELS; label++ )
    {
        lines_text(csv, walk_labels[label].name);
        lines_text(csv, ",");
    }
    lines_text(csv, "type,unit,amount,samples,function,stack");
    lines_end(csv);
}

static const struct lines_spelling in_quotes = {quoted_function, quoted_label};

static void print_csv(const struct report *report, FILE *file)
{
    struct export_lines csv;
    struct walk_sample sample;

    lines_init(&csv, report, file, &in_quotes);
    put_head(&csv);
    while ( walk_next(&csv.walk, &sample) )
        put_sample(&csv, &sample);
    lines_free(&csv);
}

const struct view export_csv = {
    .print = print_csv,
    .option = "export",
    .stacks = true,
    .who = true,
    .log = true,
    .labels = true,
    .opens = "open it with a spreadsheet or a database",
};
