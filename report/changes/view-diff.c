/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff: a table of what changed from one session to another.
 */
#include "base/must.h"
#include "diff-header.h"
#include "report/text/label-table.h"
#include "report/text/layout.h"
#include "report/model/diff-rows.h"
#include "report/model/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_table {
    const struct report *report;
    const struct diff_rows *diff;
};

/* A domain goes by its name: its number is another at each start. */
static char *diff_side_text(const struct report *report,
                            const struct profile *profile,
                            const struct row *row, enum label label)
{
    const struct loaded *loaded = report->loaded;
    uint64_t value = row->key.value[label];
    const char *name;

    if ( label == LABEL_SYMBOL )
        return row_symbol_text(report, profile, &row->key);
    if ( label != LABEL_DOMAIN )
        return label_text(loaded, label, value, LABEL_NONE);
    name = names_text(&loaded->names,
                      loaded_domain(loaded, (uint32_t)value)->name);
    return name && *name ? must(strdup(name))
                         : label_text(loaded, label, value, LABEL_NONE);
}

static const struct change *change_at(const void *data, size_t row)
{
    return &((const struct diff_table *)data)->diff->sorted[row]->change;
}

/* Rows are sorted by change. */
static bool is_large_change(const void *data, size_t row, double limit)
{
    return fabs(change_percent(change_at(data, row))) >= limit;
}

static void add_change(struct grid *grid, const void *data, size_t row,
                       bool rest)
{
    const struct diff_table *table = data;
    struct change sum = *change_at(data, row);

    for ( size_t i = row + 1; rest && i < table->diff->rows.count; i++ )
    {
        sum.before += change_at(data, i)->before;
        sum.after += change_at(data, i)->after;
    }
    diff_add_change(grid, table->report, &sum, !rest);
}

static char *diff_row_text(const void *data, size_t row, enum label label)
{
    const struct diff_rows *diff = ((const struct diff_table *)data)->diff;

    return must(
        strdup(names_text(&diff->texts, diff->sorted[row]->key.text[label])));
}

static void print_diff_rows(const struct report *report,
                            const struct diff_rows *diff, FILE *file)
{
    const struct diff_table data = {report, diff};
    const struct label_table table = {
        .report = report,
        .data = &data,
        .labels = report->query->sort,
        .count = diff->rows.count,
        .titles = diff_titles,
        .numbers = add_change,
        .sums = true,
        .text = diff_row_text,
        .large = is_large_change,
    };

    label_table_print(&table, file);
}

static void print_diff_table(const struct report *report, FILE *file)
{
    const struct query *query = report->query;
    struct label_list labels = query->sort;
    struct diff_rows diff;

    labels.areas = true;
    diff_rows_build(&diff, report, &labels, diff_side_text, query->normalize);
    diff_header(report, diff.whole, diff.beyond, diff.rows.count, file);
    print_diff_rows(report, &diff, file);
    diff_rows_free(&diff);
}

const struct view view_diff = {
    .print = print_diff_table,
};
