/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "type-lines.h"

#include "base/scope.h"
#include "ratio.h"
#include "report/model/format.h"
#include "report/text/header-line.h"
#include "report/text/layout.h"
#include "type-text.h"

#include <stdlib.h>
#include <string.h>

#define TYPES_SHOWN 4u /* in a short header */

/* Pairs that mean something to whoever knows nothing else of the host. */
static const struct pair {
    const char *of, *by;
} pairs[] = {
    {"instructions", "cycles"},
    {"cache-misses", "cache-references"},
    {"branch-misses", "branches"},
};

bool type_lines_wanted(const struct loaded *loaded)
{
    for ( size_t i = XENOPROF_TYPE_WAITING; i < XENOPROF_TYPES_MAX; i++ )
        if ( loaded->types.type[i].samples )
            return true;
    return !types_is_time(&loaded->types);
}

/* "cycles 1.23 G (shown, counted 75.0% of the time)" */
static void add_type(struct header_line *line, const struct loaded *loaded,
                     uint16_t number)
{
    const struct sample_type *type = &loaded->types.type[number];
    bool shown = number == loaded->types.shown;
    bool timed = number < XENOPROF_TYPE_EVENT;
    double counted = type_counted(type);
    char *amount SCOPE_FREE = timed ? format_seconds(type->amount)
                                    : format_count(type->amount);

    header_line_add(line, "%s%s %s", line->memory ? ", " : "", type->name,
                    amount ? amount : "?");
    if ( shown || counted < 100 )
        header_line_add(line, " (%s%s", shown ? "shown" : "",
                        shown && counted < 100 ? ", " : "");
    if ( counted < 100 )
        header_line_add(line, "counted %.1f%% of the time, scaled", counted);
    if ( shown || counted < 100 )
        header_line_add(line, ")");
}

/* All that have samples, or were counted and have none; a first screen has room
 * for few. */
static void add_types(struct header_line *line, const struct loaded *loaded,
                      size_t most)
{
    const struct types *types = &loaded->types;
    size_t found = 0;

    for ( uint16_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        if ( !types_lists(types, i) )
            continue;
        if ( found++ < most || i == types->shown )
            add_type(line, loaded, i);
    }
    if ( found > most )
        header_line_add(line, ", more in --header");
}

static void print_types(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const struct types *types = &loaded->types;
    struct header_line line = header_line_begin(report, file);

    add_types(&line, loaded, report->layout->header ? SIZE_MAX : TYPES_SHOWN);
    if ( types->shown >= XENOPROF_TYPE_EVENT &&
         !types->type[XENOPROF_TYPE_TIME].samples )
        header_line_add(&line, "; recorded by events: no sample is of time");
    header_line_add(&line, "; shares are of %s", type_whole(loaded));
    header_line_end(&line, "types");
}

/* The type of a pair's event with what is behind its first ':', or NULL. */
static const struct sample_type *find_type(const struct types *types,
                                           const char *event, const char *rest)
{
    size_t length = strlen(event);

    for ( size_t i = XENOPROF_TYPE_EVENT; i < XENOPROF_TYPES_MAX; i++ )
    {
        const struct sample_type *type = &types->type[i];

        if ( type->samples && !strncmp(type->name, event, length) &&
             !strcmp(type->name + length, rest) )
            return type;
    }
    return NULL;
}

static void add_pair(struct header_line *line, const struct sample_type *of,
                     const struct sample_type *by)
{
    const struct ratio ratio = ratio_of(
        &(struct ratio_side){of->samples, of->amount},
        &(struct ratio_side){by->samples, by->amount});

    char *value SCOPE_FREE = ratio_text(ratio.value);
    char *error SCOPE_FREE = ratio_text(ratio.error);

    header_line_add(line, "%s%s/%s %s %s%s", line->memory ? ", " : "", of->name,
                    by->name, value ? value : "?",
                    line->report->layout->screen.lines->about,
                    error ? error : "?");
}

static void add_pairs(struct header_line *line, const struct types *types,
                      const struct pair *pair)
{
    size_t length = strlen(pair->of);

    for ( size_t i = XENOPROF_TYPE_EVENT; i < XENOPROF_TYPES_MAX; i++ )
    {
        const struct sample_type *of = &types->type[i], *by;
        const char *rest = of->name + length;

        if ( !of->samples || strncmp(of->name, pair->of, length) ||
             (*rest && *rest != ':') )
            continue;
        by = find_type(types, pair->by, rest);
        if ( by )
            add_pair(line, of, by);
    }
}

static void print_pairs(const struct report *report, FILE *file)
{
    struct header_line line = header_line_begin(report, file);

    for ( size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++ )
        add_pairs(&line, &report->loaded->types, &pairs[i]);
    if ( line.memory )
        header_line_add(&line, " (--ratio shows where)");
    header_line_end(&line, "ratios");
}

void type_lines(const struct report *report, FILE *file)
{
    const struct types *types = &report->loaded->types;

    if ( !type_lines_wanted(report->loaded) )
        return;
    /* Who looks at time has less room for others. */
    print_types(report, file);
    /* Who looks at time has less room for others. */
    if ( types->shown >= XENOPROF_TYPE_EVENT || report->layout->header )
        print_pairs(report, file);
}
