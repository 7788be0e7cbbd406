/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --children: the table of functions with all that they call.
 */
#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/model/children.h"
#include "header.h"
#include "header-short.h"
#include "header-samples.h"
#include "label-table.h"
#include "report/model/format.h"
#include "report/model/frame-text.h"
#include "report/model/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct children_page {
    const struct report *report;
    struct children children;
    struct frame_texts texts;
    struct label_list labels; /* a column each */
};

static char *child_percent(const struct children_page *page, uint64_t time)
{
    return time ? must_text("%.2f%%", percent_of(time, page->children.time_all))
                : must(strdup("-"));
}

static bool is_large_child(const void *data, size_t row, double limit)
{
    const struct children *children =
        &((const struct children_page *)data)->children;

    return (double)children->sorted[row]->total.time >=
           limit / 100 * (double)children->time_all;
}

/* A frame's symbol, alone if its image has a column. */
static char *child_symbol_text(const struct children_page *page,
                               const struct frame *frame)
{
    char *symbol SCOPE_FREE = NULL;

    if ( !page->report->query->sort_given ||
         !label_list_has(&page->labels, LABEL_IMAGE) )
        return frame_text(&page->texts, frame);
    symbol = frame_symbol(&page->texts, frame);
    return must(strdup(label_short_symbol(symbol)));
}

static char *child_row_text(const void *data, size_t at, enum label label)
{
    const struct children_page *page = data;
    const struct child_row *row = page->children.sorted[at];
    const struct loaded *loaded = page->report->loaded;
    const struct frame *frame;

    if ( !label_kind(label)->frame_value )
        return label_text(loaded, label, row->key.groups[label], LABEL_NONE);
    /* Of a domain that is idle or not profiled only the whole is known. */
    if ( !row->key.frame )
        return label == LABEL_SYMBOL &&
                       !label_list_has(&page->labels, LABEL_DOMAIN)
                   ? label_text(loaded, LABEL_DOMAIN,
                                row->key.groups[LABEL_DOMAIN], LABEL_NONE)
                   : must(strdup("-"));
    frame = stacks_frame(page->report->stacks, (uint32_t)row->key.frame - 1);
    return label == LABEL_SYMBOL
               ? child_symbol_text(page, frame)
               : label_text(loaded, label, label_frame_value(frame, label),
                            LABEL_NONE);
}

static void add_child_numbers(struct grid *grid, const void *data, size_t at,
                              bool rest)
{
    const struct children_page *page = data;
    const struct child_row *row = page->children.sorted[at];

    (void)rest;
    grid_add(grid, child_percent(page, row->total.time));
    grid_add(grid, child_percent(page, row->self.time));
    grid_add(grid, must_text("%" PRIu64, row->total.samples));
}

static void print_child_rows(const struct children_page *page, FILE *file)
{
    static const char *const titles[] = {"total", "self", "samples", NULL};
    const struct label_table table = {
        .report = page->report,
        .data = page,
        .labels = page->labels,
        .count = page->children.functions,
        .titles = titles,
        .numbers = add_child_numbers,
        .text = child_row_text,
        .large = is_large_child,
    };

    label_table_print(&table, file);
}

/* Absences are no functions, however large they are: a line for each, as in
 * "0.61%  web server (1)  [truncated]". */
static void print_absent(const struct children_page *page, FILE *file)
{
    const struct children *children = &page->children;

    if ( children->functions < children->rows.count )
        fputs("\ncallers that are not known:\n", file);
    for ( size_t i = children->functions; i < children->rows.count; i++ )
    {
        char *share SCOPE_FREE = child_percent(page,
                                               children->sorted[i]->total.time);

        fprintf(file, "%6s", share);
        for ( size_t j = 0; j < page->labels.count; j++ )
        {
            char *text SCOPE_FREE = child_row_text(page, i,
                                                   page->labels.label[j]);
            char *clean SCOPE_FREE = must(text_clean(text));

            if ( strcmp(clean, "-") )
                fprintf(file, "  %s", clean);
        }
        fputc('\n', file);
    }
}

/* The labels of --sort; functions are told apart in any case. */
static struct label_list columns_of(const struct query *query)
{
    struct label_list list = query->sort;
    bool frames = false;

    for ( size_t i = 0; i < list.count; i++ )
        frames = frames || !label_kind(list.label[i])->groups;
    if ( !frames )
        list.label[list.count++] = LABEL_SYMBOL;
    return list;
}

/* The labels that are the sample's; the others are the frame's. */
static struct label_list sample_groups(const struct label_list *labels)
{
    struct label_list groups = {.count = 0};

    for ( size_t i = 0; i < labels->count; i++ )
        if ( !label_kind(labels->label[i])->frame_value )
            groups.label[groups.count++] = labels->label[i];
    return groups;
}

static void print_children(const struct report *report, FILE *file)
{
    const struct label_list groups = sample_groups(&report->query->sort);
    struct children_page page = {.report = report,
                                 .labels = columns_of(report->query)};
    struct profile profile;

    children_build(&page.children, report->loaded, report->stacks, &groups);
    frame_texts_init(&page.texts, report->loaded, report->stacks);
    profile = (struct profile){.samples = page.children.shown.samples,
                               .time = page.children.shown.time,
                               .time_all = page.children.time_all};
    header_print(report, &profile, file);
    header_stacks(report, file);
    fputc('\n', file);
    print_child_rows(&page, file);
    print_absent(&page, file);
    fputc('\n', file);
    header_end(report, &profile, file);
    frame_texts_free(&page.texts);
    children_free(&page.children);
}

const struct view view_children = {
    .print = print_children,
    .option = "children",
    .what = "the table, with the time of each function and all it calls",
    .stacks = true,
};
