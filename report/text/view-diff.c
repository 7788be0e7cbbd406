/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff: a table of what changed from one session to another.
 */
#include "diff-header.h"
#include "report/model/diff-rows.h"
#include "flat-rows.h"
#include "flat-symbol.h"
#include "grid.h"
#include "report/model/report.h"
#include "layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 0.5 /* percent */
#define ROWS_DEFAULT  20u

/* A domain goes by its name: its number is another at each start. */
static char *row_text(const struct report *report,
                      const struct profile *profile, const struct row *row,
                      enum label label)
{
    const struct loaded *loaded = report->loaded;
    uint64_t value = row->key.value[label];
    const char *name;

    if ( label == LABEL_SYMBOL )
        return flat_symbol(report, profile, &row->key);
    if ( label != LABEL_DOMAIN )
        return label_text(loaded, label, value, LABEL_NONE);
    name = names_text(&loaded->names,
                      loaded_domain(loaded, (uint32_t)value)->name);
    return name && *name ? strdup(name)
                         : label_text(loaded, label, value, LABEL_NONE);
}

/* Rows stand by change: those from here on are not shown. */
static size_t rows_shown(const struct query *query,
                         const struct diff_rows *diff)
{
    double limit = query->percent_limit_given ? query->percent_limit
                                              : LIMIT_DEFAULT;
    size_t shown = 0;

    while ( shown < diff->rows.count &&
            (fabs(change_percent(&diff->sorted[shown]->change)) >= limit ||
             (!query->percent_limit_given && shown < ROWS_DEFAULT)) )
        shown++;
    return shown;
}

static void add_columns(struct grid *grid, const struct query *query)
{
    grid_column(grid, "before", true, false);
    grid_column(grid, "after", true, false);
    grid_column(grid, "change", true, false);
    grid_column(grid, "error", true, false);
    grid_column(grid, "", false, false);
    for ( size_t i = 0; i < query->sort.count; i++ )
        if ( flat_has_column(query, query->sort.label[i]) )
            flat_label_column(grid, query->sort.label[i]);
}

static void add_row(struct grid *grid, const struct report *report,
                    const struct diff_rows *diff, const struct diff_row *row)
{
    const struct query *query = report->query;

    grid_add(grid, format_text("%.2f%%", 100 * row->change.before));
    grid_add(grid, format_text("%.2f%%", 100 * row->change.after));
    grid_add(grid, format_text("%+.2f%%", change_percent(&row->change)));
    grid_add(grid, format_text("%s%.2f", report->layout->screen.lines->about,
                               100 * row->change.error));
    grid_add(grid, strdup(row->change.beyond ? "*" : ""));
    for ( size_t i = 0; i < query->sort.count; i++ )
    {
        enum label label = query->sort.label[i];

        if ( flat_has_column(query, label) )
            grid_add(grid,
                     strdup(names_text(&diff->texts, row->key.text[label])));
    }
}

/* Rows below the limit, in one, so that the columns still add up. */
static void add_hidden(struct grid *grid, const struct query *query,
                       const struct diff_rows *diff, size_t shown)
{
    struct change sum = {.before = 0};
    size_t columns = 0;

    for ( size_t i = shown; i < diff->rows.count; i++ )
    {
        sum.before += diff->sorted[i]->change.before;
        sum.after += diff->sorted[i]->change.after;
    }
    if ( shown == diff->rows.count )
        return;
    grid_add(grid, format_text("%.2f%%", 100 * sum.before));
    grid_add(grid, format_text("%.2f%%", 100 * sum.after));
    grid_add(grid, format_text("%+.2f%%", change_percent(&sum)));
    grid_add(grid, strdup(""));
    grid_add(grid, strdup(""));
    for ( size_t i = 0; i < query->sort.count; i++ )
        if ( flat_has_column(query, query->sort.label[i]) )
            grid_add(grid, columns++ ? strdup("-")
                                     : format_text("(%zu more)",
                                                   diff->rows.count - shown));
}

static bool print_rows(const struct report *report,
                       const struct diff_rows *diff, FILE *file)
{
    const struct query *query = report->query;
    size_t shown = rows_shown(query, diff);
    struct grid grid = {.count = 0};

    add_columns(&grid, query);
    for ( size_t i = 0; i < shown; i++ )
        add_row(&grid, report, diff, diff->sorted[i]);
    add_hidden(&grid, query, diff, shown);
    return grid_print_table(&grid, report->layout->width, diff->rows.count,
                            file);
}

static bool print_diff(const struct report *report, FILE *file)
{
    const struct query *query = report->query;
    struct label_list labels = query->sort;
    struct diff_rows diff;
    bool done;

    labels.areas = true;
    done = diff_rows_build(&diff, report, &labels, row_text,
                           query->normalize) &&
           diff_header(report, diff.whole, diff.beyond, diff.rows.count,
                       file) &&
           print_rows(report, &diff, file);
    diff_rows_free(&diff);
    return done;
}

const struct view view_diff = {
    .print = print_diff,
};
