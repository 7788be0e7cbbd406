/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table, which is what is shown when nothing else is asked for.
 */
#include "flat-header.h"
#include "flat-hints.h"
#include "flat-rows.h"
#include "flat-summary.h"
#include "flat-symbol.h"
#include "grid.h"
#include "report/model/report.h"
#include "layout.h"

#include <inttypes.h>

static char *cell_text(const struct report *report,
                       const struct profile *profile, const struct row *row,
                       enum label label)
{
    return label == LABEL_SYMBOL
               ? flat_symbol(report, profile, &row->key)
               : label_text(report->loaded, label, row->key.value[label],
                            LABEL_NONE);
}

static void add_numbers(struct grid *grid, const struct profile *profile,
                        const struct row *row)
{
    grid_add(grid, flat_percent(profile, row->time));
    grid_add(grid, format_text("%" PRIu64, row->samples));
    grid_add(grid, format_seconds(row->time));
}

static void add_row(struct grid *grid, const struct report *report,
                    const struct profile *profile, const struct row *row)
{
    const struct label_list *labels = &report->query->sort;

    add_numbers(grid, profile, row);
    for ( size_t i = 0; i < labels->count; i++ )
        if ( flat_has_column(report->query, labels->label[i]) )
            grid_add(grid, cell_text(report, profile, row, labels->label[i]));
}

/* Rows below the limit, in one, so that the columns still add up. */
static void add_hidden(struct grid *grid, const struct report *report,
                       const struct profile *profile, size_t shown)
{
    const struct label_list *labels = &report->query->sort;
    struct row hidden = flat_rows_hidden(profile, shown);

    if ( shown == profile->count )
        return;
    add_numbers(grid, profile, &hidden);
    grid_add(grid, format_text("(%zu more)", profile->count - shown));
    for ( size_t i = 1; i < labels->count; i++ )
        if ( flat_has_column(report->query, labels->label[i]) )
            grid_add(grid, format_text("-"));
}

static void add_columns(struct grid *grid, const struct query *query)
{
    grid_column(grid, "percent", true, false);
    grid_column(grid, "samples", true, false);
    grid_column(grid, "time", true, false);
    for ( size_t i = 0; i < query->sort.count; i++ )
        if ( flat_has_column(query, query->sort.label[i]) )
            flat_label_column(grid, query->sort.label[i]);
}

static bool print_table(const struct report *report,
                        const struct profile *profile, FILE *file)
{
    const struct query *query = report->query;
    size_t shown = flat_rows_shown(query, profile);
    struct grid grid = {.count = 0};

    add_columns(&grid, query);
    for ( size_t i = 0; i < shown; i++ )
        add_row(&grid, report, profile, profile->sorted[i]);
    add_hidden(&grid, report, profile, shown);
    return grid_print_table(&grid, report->layout->width, profile->count, file);
}

static bool print_tables(const struct report *report,
                         const struct profile *profile, FILE *file)
{
    const struct query *query = report->query;

    return (query->sort_given || report->layout->no_summary ||
            flat_summary(report, file)) &&
           print_table(report, profile, file) && flat_hints(report, file);
}

static bool print_flat(const struct report *report, FILE *file)
{
    struct label_list labels = report->query->sort;
    struct profile profile;
    bool done;

    labels.areas = true;
    done = profile_build(&profile, report->loaded, &labels) &&
           (report->layout->no_header ||
            flat_header_attributes(report, &profile, file)) &&
           flat_header_losses(report, &profile, file) &&
           fputc('\n', file) != EOF && print_tables(report, &profile, file);
    profile_free(&profile);
    return done;
}

const struct view view_flat = {
    .print = print_flat,
};
