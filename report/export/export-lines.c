/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-lines.h"

#include "report/text/folded-name.h"

#include <stdlib.h>

#define OUT_BYTES  65536u /* that go out together */
#define DIGITS_MAX 20u    /* of 64 bits */

void lines_init(struct export_lines *lines, const struct report *report,
                FILE *file, const struct lines_spelling *spelling)
{
    *lines = (struct export_lines){.file = file, .spelling = spelling};
    walk_init(&lines->walk, report);
    table_init(&lines->labels, sizeof(((struct lines_label *)0)->key),
               sizeof(struct lines_label));
    lines->names = must(
        calloc(lines->walk.functions.count + 1, sizeof(*lines->names)));
    must_do(buffer_reserve(&lines->out, OUT_BYTES));
}

static void send_out(struct export_lines *lines)
{
    fwrite(lines->out.bytes, 1, lines->out.used, lines->file);
    lines->out.used = 0;
}

void lines_free(struct export_lines *lines)
{
    send_out(lines);
    for ( size_t i = 0; i < lines->walk.functions.count; i++ )
        free(lines->names[i].text);
    for ( size_t i = 0; i < lines->labels.count; i++ )
        free(((struct lines_label *)table_at(&lines->labels, i))->name.text);
    free(lines->names);
    table_free(&lines->labels);
    vector_free(&lines->path);
    buffer_free(&lines->out);
    walk_free(&lines->walk);
}

char *lines_folded_function(const struct walk_function *function)
{
    return folded_frame_name(function->name, &function->key);
}

char *lines_folded_label(const char *text)
{
    return folded_name(text, "");
}

static const struct lines_name *named(struct lines_name *name, char *text)
{
    name->text = text;
    name->length = strlen(text);
    return name;
}

const struct lines_name *lines_function(struct export_lines *lines,
                                        uint32_t function)
{
    struct lines_name *name = &lines->names[function];

    return name->text ? name
                      : named(name, lines->spelling->function(
                                        walk_function(&lines->walk, function)));
}

const struct lines_name *lines_label(struct export_lines *lines,
                                     enum walk_label label, uint64_t value)
{
    const struct lines_label key = {.key = {value, label}};
    struct lines_label *known = must(table_put(&lines->labels, &key.key));

    return known->name.text
               ? &known->name
               : named(&known->name, lines->spelling->label(walk_label_text(
                                         &lines->walk, label, value)));
}

void lines_number(struct export_lines *lines, uint64_t number,
                  unsigned int digits)
{
    char text[DIGITS_MAX];
    size_t at = DIGITS_MAX;

    while ( at && (number || DIGITS_MAX - at < digits || at == DIGITS_MAX) )
    {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    }
    lines_bytes(lines, text + at, DIGITS_MAX - at);
}

void lines_end(struct export_lines *lines)
{
    lines_bytes(lines, "\n", 1);
    if ( lines->out.used >= OUT_BYTES )
        send_out(lines);
}

void lines_stack(struct export_lines *lines, uint32_t stack)
{
    const struct walk_stack *stacks = lines->walk.stacks.items;

    lines->path.count = 0;
    for ( ; stack != WALK_NONE; stack = stacks[stack].caller )
        *(uint32_t *)must(vector_add(&lines->path)) =
            lines->walk.frames.items[stacks[stack].frame].function;
    for ( size_t i = lines->path.count; i-- > 0; )
    {
        lines_put(lines, lines_function(lines, lines->path.items[i]));
        if ( i )
            lines_bytes(lines, ";", 1);
    }
}
