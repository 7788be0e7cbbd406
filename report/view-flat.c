/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table, which is what is shown when nothing else is asked for.
 */
#include "flat-header.h"
#include "grid.h"
#include "options.h"
#include "profile.h"
#include "views.h"

#include <inttypes.h>
#include <stdarg.h>

#define LIMIT_DEFAULT 0.1 /* percent */
#define ROWS_DEFAULT  20u
#define NS_PER_MS     1000000u

static char *print_text(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static char *print_text(const char *format, ...)
{
    va_list arguments;
    char *text;
    int written;

    va_start(arguments, format);
    written = vasprintf(&text, format, arguments);
    va_end(arguments);
    return written < 0 ? NULL : text;
}

static void add_numbers(struct grid *grid, const struct profile *profile,
                        uint64_t samples, uint64_t time)
{
    uint64_t ms = (time + NS_PER_MS / 2) / NS_PER_MS;

    grid_add(grid, print_text("%.2f%%", profile_percent(profile, time)));
    grid_add(grid, print_text("%" PRIu64, samples));
    grid_add(grid,
             print_text("%" PRIu64 ".%03" PRIu64 " s", ms / 1000, ms % 1000));
}

static void add_row(struct grid *grid, const struct report *report,
                    const struct profile *profile, const struct row *row)
{
    const struct label_list *labels = &report->options->sort;

    add_numbers(grid, profile, row->samples, row->time);
    for ( size_t i = 0; i < labels->count; i++ )
        grid_add(grid, label_text(report->recording, labels->label[i],
                                  row->key.value[labels->label[i]],
                                  row->key.unnamed));
}

/* Rows below the limit, in one, so that the columns still add up. */
static void add_hidden(struct grid *grid, const struct report *report,
                       const struct profile *profile, size_t shown)
{
    uint64_t samples = 0, time = 0;

    if ( shown == profile->count )
        return;
    for ( size_t i = shown; i < profile->count; i++ )
    {
        samples += profile->sorted[i]->samples;
        time += profile->sorted[i]->time;
    }
    add_numbers(grid, profile, samples, time);
    grid_add(grid, print_text("(%zu more)", profile->count - shown));
    for ( size_t i = 1; i < report->options->sort.count; i++ )
        grid_add(grid, print_text("-"));
}

static void add_columns(struct grid *grid, const struct label_list *labels)
{
    grid_column(grid, "percent", true, false);
    grid_column(grid, "samples", true, false);
    grid_column(grid, "time", true, false);
    for ( size_t i = 0; i < labels->count; i++ )
    {
        enum label label = labels->label[i];
        bool number = label == LABEL_VCPU || label == LABEL_PCPU;

        grid_column(grid, label_name(label), number,
                    !number && label != LABEL_MODE);
    }
}

/* Not asked for a limit, a table of a thousand small rows still has a top. */
static size_t rows_shown(const struct options *options,
                         const struct profile *profile)
{
    size_t shown;

    if ( options->percent_limit_given )
        return profile_limit(profile, options->percent_limit);
    shown = profile_limit(profile, LIMIT_DEFAULT);
    if ( shown < ROWS_DEFAULT )
        shown = profile->count < ROWS_DEFAULT ? profile->count : ROWS_DEFAULT;
    return shown;
}

static bool print_table(const struct report *report,
                        const struct profile *profile, FILE *file)
{
    const struct options *options = report->options;
    size_t shown = rows_shown(options, profile);
    struct grid grid = {.count = 0};
    bool printed;

    add_columns(&grid, &options->sort);
    for ( size_t i = 0; i < shown; i++ )
        add_row(&grid, report, profile, profile->sorted[i]);
    add_hidden(&grid, report, profile, shown);
    printed = grid_print(&grid, options->width, true, file);
    if ( printed && !profile->count )
        fputs("(no samples)\n", file);
    grid_free(&grid);
    return printed;
}

bool view_flat(const struct report *report, FILE *file)
{
    struct profile profile;
    bool done = profile_build(&profile, report->recording,
                              &report->options->sort) &&
                (report->options->no_header ||
                 flat_header_facts(report, &profile, file)) &&
                flat_header_losses(report, &profile, file) &&
                fputc('\n', file) != EOF && print_table(report, &profile, file);

    profile_free(&profile);
    return done;
}
