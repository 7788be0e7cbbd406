/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=folded: lines as --folded has them, with the second of the session
 * as the root: what a stack has in a second is one line.  Any tool that takes
 * folded stacks takes it; those that keep the order of lines, or of names, show
 * seconds in their order, since all have as many digits.
 */
#include "export-lines.h"

#include "report/model/format.h"

/* What a domain's stack has in one second. */
struct folded_part {
    struct {
        uint64_t domain;
        uint32_t stack;
        uint32_t zero;
    } key;
    uint64_t amount;
};

struct folded_seconds {
    struct export_lines lines;
    uint64_t second;
    unsigned int digits;
    struct table parts; /* of that second */
};

static void begin_second(struct folded_seconds *folded, uint64_t second)
{
    folded->second = second;
    table_init(&folded->parts, sizeof(((struct folded_part *)0)->key),
               sizeof(struct folded_part));
}

static void put_part(struct folded_seconds *folded,
                     const struct folded_part *part)
{
    struct export_lines *lines = &folded->lines;

    lines_number(lines, folded->second, folded->digits);
    lines_text(lines, ";");
    lines_put(lines, lines_label(lines, WALK_DOMAIN, part->key.domain));
    lines_text(lines, ";");
    lines_stack(lines, part->key.stack);
    lines_text(lines, " ");
    lines_number(lines, part->amount, 1);
    lines_end(lines);
}

static void end_second(struct folded_seconds *folded)
{
    for ( size_t i = 0; i < folded->parts.count; i++ )
        put_part(folded, table_at(&folded->parts, i));
    table_free(&folded->parts);
}

static void take_sample(struct folded_seconds *folded,
                        const struct walk_sample *sample)
{
    const struct export_walk *walk = &folded->lines.walk;
    const uint64_t second = loaded_since(walk->loaded, sample->time) / NS_PER_S;
    struct folded_part part = {
        .key = {.domain = walk_label_value(walk, sample->cell, WALK_DOMAIN),
                .stack = sample->stack}};
    struct folded_part *to;

    if ( !sample->amount )
        return;
    if ( second != folded->second )
    {
        end_second(folded);
        begin_second(folded, second);
    }
    to = must(table_put(&folded->parts, &part.key));
    to->amount += sample->amount;
}

static unsigned int count_digits(uint64_t number)
{
    unsigned int digits = 1;

    while ( (number /= 10) )
        digits++;
    return digits;
}

static const struct lines_spelling as_folded = {lines_folded_function,
                                                lines_folded_label};

static void print_folded_seconds(const struct report *report, FILE *file)
{
    struct folded_seconds folded = {.second = 0};
    struct walk_sample sample;

    lines_init(&folded.lines, report, file, &as_folded);
    folded.digits = count_digits(
        loaded_since(report->loaded, walk_span(&folded.lines.walk).to) /
        NS_PER_S);
    begin_second(&folded, 0);
    while ( walk_next(&folded.lines.walk, &sample) )
        take_sample(&folded, &sample);
    end_second(&folded);
    lines_free(&folded.lines);
}

const struct view export_folded = {
    .print = print_folded_seconds,
    .option = "export",
    .stacks = true,
    .log = true,
    .opens = "open it with flamegraph.pl or speedscope",
};
