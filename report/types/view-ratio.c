/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --ratio=A/B: how many of event A there were for each of event B, by domain
 * and by function.  report.base is the session with A alone, report with B.
 */
#include "base/must.h"
#include "base/scope.h"
#include "ratio.h"
#include "report/model/diff-rows.h"
#include "report/model/format.h"
#include "report/text/header-line.h"
#include "report/text/header-samples.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"
#include "report/text/label-table.h"
#include "report/text/layout.h"
#include "type-text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDED 1e9

struct ratio_table {
    const struct report *report;
    const struct diff_rows *rows;
    const struct diff_row **sorted; /* by B, the largest first */
};

static char *ratio_side_text(const struct report *report,
                             const struct profile *profile,
                             const struct row *row, enum label label)
{
    return label == LABEL_SYMBOL
               ? row_symbol_text(report, profile, &row->key)
               : label_text(report->loaded, label, row->key.value[label],
                            LABEL_NONE);
}

static struct ratio ratio_of_amounts(const struct amount side[2])
{
    return ratio_of(&(struct ratio_side){side[0].samples, side[0].time},
                    &(struct ratio_side){side[1].samples, side[1].time});
}

static int compare_ratio_rows(const void *left, const void *right)
{
    const struct diff_row *a = *(const struct diff_row *const *)left;
    const struct diff_row *b = *(const struct diff_row *const *)right;

    for ( unsigned int side = 2; side-- > 0; )
        if ( a->side[side].time != b->side[side].time )
            return a->side[side].time < b->side[side].time ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

/* Percent of all of B. */
static double share_of(const struct ratio_table *table,
                       const struct amount *amount)
{
    return percent_of(amount->time, table->rows->whole[1].time);
}

static void add_ratio_numbers(struct grid *grid, const void *data, size_t row,
                              bool rest)
{
    const struct ratio_table *table = data;
    const struct report *report = table->report;
    const size_t end = rest ? table->rows->rows.count : row + 1;
    struct amount side[2] = {{0}};
    char *error SCOPE_FREE = NULL;
    struct ratio ratio;

    for ( size_t i = row; i < end; i++ )
        for ( unsigned int j = 0; j < 2; j++ )
            amount_add(&side[j], table->sorted[i]->side[j]);
    ratio = ratio_of_amounts(side);
    error = ratio_text(ratio.error);

    grid_add(grid, must_text("%.2f%%", share_of(table, &side[1])));
    grid_add(grid, type_amount(report->base->loaded, side[0].time));
    grid_add(grid, type_amount(report->loaded, side[1].time));
    grid_add(grid, side[1].time ? ratio_text(ratio.value) : must(strdup("-")));
    grid_add(grid,
             ratio.known && error
                 ? must_text("%s%s", report->layout->screen.lines->about, error)
                 : must(strdup("-")));
}

static bool is_large_ratio_row(const void *data, size_t row, double limit)
{
    const struct ratio_table *table = data;

    return share_of(table, &table->sorted[row]->side[1]) >= limit;
}

static char *ratio_row_text(const void *data, size_t row, enum label label)
{
    const struct ratio_table *table = data;

    return must(strdup(
        names_text(&table->rows->texts, table->sorted[row]->key.text[label])));
}

static void print_ratio_table(const struct ratio_table *data,
                              const struct label_list *labels, FILE *file)
{
    const struct report *report = data->report;
    static const char *const titles[] = {"percent", "A",     "B",
                                         "ratio",   "error", NULL};
    const struct label_table table = {
        .report = report,
        .data = data,
        .labels = *labels,
        .count = data->rows->rows.count,
        .titles = titles,
        .numbers = add_ratio_numbers,
        .sums = true,
        .text = ratio_row_text,
        .large = is_large_ratio_row,
    };

    label_table_print(&table, file);
}

/* Shows all rows by labels, as text or as JSON. */
static void show_ratio(const struct report *report,
                       const struct label_list *labels,
                       void (*show)(const struct ratio_table *table,
                                    const struct label_list *labels,
                                    FILE *file),
                       FILE *file)
{
    struct diff_rows rows;
    struct ratio_table table = {.report = report, .rows = &rows};

    diff_rows_build(&rows, report, labels, ratio_side_text, NORMALIZE_TIME);
    table.sorted = must(table_sorted(&rows.rows, compare_ratio_rows));
    show(&table, labels, file);
    free(table.sorted);
    diff_rows_free(&rows);
}

/* "A  cycles: 1.23 G cycles, 1234 samples" */
static void print_side(const struct report *report, const char *title,
                       FILE *file)
{
    const struct sample_type *type = types_shown(&report->loaded->types);
    struct header_line line = header_line_begin(report, file);
    char *amount SCOPE_FREE = type_length(report->loaded, type->amount);

    header_line_add(&line, "%s: %s, %" PRIu64 " samples", type->name,
                    amount ? amount : "?", type->samples);
    if ( type_counted(type) < 100 )
        header_line_add(&line, ", counted %.1f%% of the time, scaled",
                        type_counted(type));
    header_line_end(&line, title);
}

/* Of all of the session, whatever is filtered. */
static struct ratio whole_ratio(const struct report *report)
{
    const struct sample_type *of = types_shown(&report->base->loaded->types);
    const struct sample_type *by = types_shown(&report->loaded->types);

    return ratio_of(&(struct ratio_side){of->samples, of->amount},
                    &(struct ratio_side){by->samples, by->amount});
}

static void print_whole(const struct report *report, FILE *file)
{
    const struct ratio ratio = whole_ratio(report);
    struct header_line line = header_line_begin(report, file);
    char *value SCOPE_FREE = ratio_text(ratio.value);
    char *error SCOPE_FREE = ratio_text(ratio.error);

    if ( ratio.known )
        header_line_add(&line, "%s %s%s in all, errors are at 95 %%", value,
                        report->layout->screen.lines->about, error);
    else
        header_line_add(&line, "not known: one has no samples");
    header_line_add(&line, "; percents are of B");
    header_line_end(&line, "A/B");
}

static void print_filter(const struct report *report, FILE *file)
{
    const struct selection *selection = &report->query->selection;
    struct header_line line = header_line_begin(report, file);

    if ( !selection_filters(selection) )
        return;
    header_line_add(&line, "only ");
    if ( line.memory )
        selection_print(selection, line.memory);
    header_line_end(&line, "filter");
}

static void print_ratio(const struct report *report, FILE *file)
{
    static const struct label_list domains = {.label = {LABEL_DOMAIN},
                                              .count = 1};
    const struct query *query = report->query;
    struct label_list labels = query->sort;

    labels.areas = true;
    print_side(report->base, "A", file);
    print_side(report, "B", file);
    print_whole(report, file);
    print_filter(report, file);
    header_focus(report, file);
    fputc('\n', file);
    if ( !query->sort_given && !report->layout->no_summary )
    {
        show_ratio(report, &domains, print_ratio_table, file);
        fputc('\n', file);
    }
    show_ratio(report, &labels, print_ratio_table, file);
}

static void put_numbers(struct json *json, const struct amount side[2])
{
    static const char *const names[] = {"of", "by"};
    const struct ratio ratio = ratio_of_amounts(side);

    for ( unsigned int i = 0; i < 2; i++ )
    {
        json_key(json, names[i]);
        json_object_begin_flat(json);
        json_put_number(json, "samples", side[i].samples);
        json_put_number(json, "amount", side[i].time);
        json_object_end(json);
    }
    json_put_rounded(json, "ratio", side[1].time ? ratio.value : NAN, ROUNDED);
    json_put_rounded(json, "error", ratio.known ? ratio.error : NAN, ROUNDED);
}

static void put_ratio_rows(struct json *json, const struct ratio_table *table,
                           const struct label_list *labels)
{
    json_begin_array(json, "rows");
    for ( size_t i = 0; i < table->rows->rows.count; i++ )
    {
        json_object_begin_flat(json);
        for ( size_t j = 0; j < labels->count; j++ )
            json_put_text(
                json, label_name(labels->label[j]),
                names_text(&table->rows->texts,
                           table->sorted[i]->key.text[labels->label[j]]));
        put_numbers(json, table->sorted[i]->side);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_ratio_json(const struct ratio_table *table,
                           const struct label_list *labels, FILE *file)
{
    const struct report *report = table->report;
    const struct sample_type *of = types_shown(&report->base->loaded->types);
    const struct sample_type *by = types_shown(&report->loaded->types);
    const struct profile profile = {.samples = by->samples,
                                    .time_all = by->amount};
    const struct amount all[2] = {{of->samples, of->amount},
                                  {by->samples, by->amount}};
    struct json json;

    json_begin_report(&json, report, &profile, file);
    json_put_text(&json, "of", of->name);
    json_put_text(&json, "by", by->name);
    json_put_filter(&json, &report->query->selection);
    json_put_patterns(&json, &report->query->focus);
    json_key(&json, "whole");
    json_object_begin_flat(&json);
    put_numbers(&json, all);
    json_object_end(&json);
    put_ratio_rows(&json, table, labels);
    json_end_report(&json);
}

static void print_ratio_json(const struct report *report, FILE *file)
{
    struct label_list labels = report->query->sort;

    labels.areas = true;
    show_ratio(report, &labels, put_ratio_json, file);
}

const struct view view_ratio = {
    .print = print_ratio,
    .print_json = print_ratio_json,
};
