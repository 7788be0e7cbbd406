/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --children: the table of functions with all that they call.
 */
#include "report/model/children.h"
#include "flat-header.h"
#include "flat-rows.h"
#include "report/model/frame-text.h"
#include "grid.h"
#include "header-line.h"
#include "report/model/report.h"
#include "layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 0.5 /* percent */
#define ROWS_DEFAULT  20u

struct children_page {
    const struct report *report;
    struct children children;
    struct frame_texts texts;
    struct label_list labels; /* a column each */
};

static char *percent(const struct children_page *page, uint64_t time)
{
    uint64_t all = page->children.time_all;

    if ( !time )
        return strdup("-");
    return format_text("%.2f%%",
                       all ? 100.0 * (double)time / (double)all : 0.0);
}

/* Rows stand by total time: those from here on are not shown. */
static size_t rows_shown(const struct children_page *page)
{
    const struct query *query = page->report->query;
    const struct children *children = &page->children;
    double limit = query->percent_limit_given ? query->percent_limit
                                              : LIMIT_DEFAULT;
    double least = limit / 100 * (double)children->time_all;
    size_t shown = 0;

    while ( shown < children->rows.count &&
            ((double)children->sorted[shown]->total.time >= least ||
             (!query->percent_limit_given && shown < ROWS_DEFAULT)) )
        shown++;
    return shown;
}

/* Without --sort the image stands behind the symbol, where it says more than
 * the mode. */
static bool has_column(const struct children_page *page, enum label label)
{
    return label_list_has(&page->labels, label) &&
           (label != LABEL_IMAGE || page->report->query->sort_given);
}

/* Of a domain that is idle or not profiled only the whole is known. */
static char *frame_label(const struct children_page *page,
                         const struct child_row *row, enum label label)
{
    const struct loaded *loaded = page->report->loaded;
    const struct frame *frame;
    char *symbol, *text;

    if ( !row->key.frame )
        return strdup("-");
    frame = stacks_frame(page->report->stacks, (uint32_t)row->key.frame - 1);
    switch ( label )
    {
    case LABEL_MODE: return strdup(frame_mode(frame));
    case LABEL_IMAGE:
        return label_text(loaded, label,
                          frame->key.image ? frame->key.image : LABEL_NONE,
                          LABEL_NONE);
    case LABEL_ADDRESS:
        return label_text(loaded, label,
                          frame->key.address ? frame->key.address : LABEL_NONE,
                          LABEL_NONE);
    default:
        if ( !has_column(page, LABEL_IMAGE) )
            return frame_text(&page->texts, frame);
        symbol = frame_symbol(&page->texts, frame);
        text = symbol ? strdup(label_short_symbol(symbol)) : NULL;
        free(symbol);
        return text;
    }
}

static bool is_group(enum label label)
{
    return label == LABEL_DOMAIN || label == LABEL_VCPU || label == LABEL_PCPU;
}

static void add_row(struct grid *grid, const struct children_page *page,
                    const struct child_row *row)
{
    const struct label_list *labels = &page->labels;

    grid_add(grid, percent(page, row->total.time));
    grid_add(grid, percent(page, row->self.time));
    grid_add(grid, format_text("%" PRIu64, row->total.samples));
    for ( size_t i = 0; i < labels->count; i++ )
    {
        enum label label = labels->label[i];

        if ( has_column(page, label) )
            grid_add(grid, is_group(label)
                               ? label_text(page->report->loaded, label,
                                            row->key.groups[label], LABEL_NONE)
                               : frame_label(page, row, label));
    }
}

static void add_columns(struct grid *grid, const struct children_page *page)
{
    const struct label_list *labels = &page->labels;

    grid_column(grid, "total", true, false);
    grid_column(grid, "self", true, false);
    grid_column(grid, "samples", true, false);
    for ( size_t i = 0; i < labels->count; i++ )
        if ( has_column(page, labels->label[i]) )
            flat_label_column(grid, labels->label[i]);
}

static bool print_table(const struct children_page *page, FILE *file)
{
    size_t shown = rows_shown(page), count = page->children.rows.count;
    struct grid grid = {.count = 0};
    bool printed;

    add_columns(&grid, page);
    for ( size_t i = 0; i < shown; i++ )
        add_row(&grid, page, page->children.sorted[i]);
    printed = grid_print_table(&grid, page->report->layout->width, count, file);
    if ( printed && shown < count )
        fprintf(file, "(%zu more, each with less)\n", count - shown);
    return printed;
}

static bool print_header(const struct children_page *page, FILE *file)
{
    const struct profile profile = {
        .samples = page->children.shown.samples,
        .time = page->children.shown.time,
        .time_all = page->children.time_all,
    };

    return (page->report->layout->no_header ||
            flat_header_attributes(page->report, &profile, file)) &&
           flat_header_losses(page->report, &profile, file) &&
           header_stacks(page->report, file) && fputc('\n', file) != EOF;
}

/* Those of --sort; functions are told apart in any case. */
static struct label_list columns_of(const struct query *query)
{
    struct label_list list = query->sort;

    if ( !label_list_has(&list, LABEL_IMAGE) &&
         !label_list_has(&list, LABEL_SYMBOL) &&
         !label_list_has(&list, LABEL_ADDRESS) )
        list.label[list.count++] = LABEL_SYMBOL;
    return list;
}

/* The labels that are the sample's; the others are the frame's. */
static struct label_list groups_of(const struct label_list *labels)
{
    struct label_list groups = {.count = 0};

    for ( size_t i = 0; i < labels->count; i++ )
        if ( is_group(labels->label[i]) )
            groups.label[groups.count++] = labels->label[i];
    return groups;
}

static bool print_children(const struct report *report, FILE *file)
{
    const struct label_list groups = groups_of(&report->query->sort);
    struct children_page page = {.report = report,
                                 .labels = columns_of(report->query)};
    bool done = children_build(&page.children, report->loaded, report->stacks,
                               &groups) &&
                frame_texts_init(&page.texts, report->loaded, report->stacks) &&
                print_header(&page, file) && print_table(&page, file);

    frame_texts_free(&page.texts);
    children_free(&page.children);
    return done;
}

const struct view view_children = {
    .print = print_children,
    .option = "children",
    .what = "the table, with what each function and all it calls took",
    .stacks = true,
};
