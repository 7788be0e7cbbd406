/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff with --callgraph or --callers: a tree of what changed from one
 * session to another.
 */
#include "base/must.h"
#include "diff-header.h"
#include "report/model/report.h"
#include "report/text/layout.h"
#include "report/text/outline.h"

#include <string.h>

#define COLUMNS_WIDTH 37u

struct diff_page {
    const struct report *report;
    struct diff_tree diff;
};

static const struct diff_page *diff_page_of(const struct outline *outline)
{
    return outline->data;
}

static const struct diff_node *diff_call_node(const struct outline *outline,
                                              uint32_t node)
{
    return diff_tree_node(&diff_page_of(outline)->diff, node);
}

static uint32_t diff_call_child_count(const struct outline *outline,
                                      uint32_t node)
{
    return diff_call_node(outline, node)->count;
}

static uint32_t diff_call_child(const struct outline *outline, uint32_t node,
                                uint32_t index)
{
    const struct diff_tree *diff = &diff_page_of(outline)->diff;

    return diff->children[diff_tree_node(diff, node)->first + index];
}

/* What did not change, and has nothing below that did. */
static bool is_small_change(const struct outline *outline, uint32_t node)
{
    return 100 * diff_call_node(outline, node)->swing <
           query_limit(diff_page_of(outline)->report->query);
}

static bool is_diff_call_frame(const struct outline *outline, uint32_t node)
{
    return diff_call_node(outline, node)->key.kind == NODE_FRAME;
}

static const struct diff_frame *diff_call_frame(const struct outline *outline,
                                                const struct diff_node *node)
{
    return diff_tree_frame(&diff_page_of(outline)->diff, node->key.value);
}

static char *diff_call_text(const struct outline *outline, uint32_t number)
{
    const struct names *texts = &diff_page_of(outline)->diff.names.texts;
    const struct diff_node *node = diff_call_node(outline, number);
    const char *name;

    if ( node->key.kind == NODE_FRAME )
        return must(
            strdup(names_text(texts, diff_call_frame(outline, node)->text)));
    name = names_text(texts, (uint32_t)node->key.value);
    if ( node->key.kind == LABEL_DOMAIN )
        return must(strdup(name));
    return must_text("%s %s", label_name((enum label)node->key.kind), name);
}

static enum colour diff_call_colour(const struct outline *outline,
                                    uint32_t number)
{
    const struct diff_node *node = diff_call_node(outline, number);
    const struct change *change = &node->change;

    if ( change->beyond )
        return change->after > change->before ? COLOUR_MORE : COLOUR_LESS;
    return node->key.kind == NODE_FRAME ? COLOUR_USER : COLOUR_GROUP;
}

static const char *mode_of(const struct outline *outline,
                           const struct diff_node *node)
{
    const struct diff_frame *frame;

    if ( node->key.kind != NODE_FRAME )
        return "";
    frame = diff_call_frame(outline, node);
    if ( frame->key.kind == FRAME_MOVED || frame->key.kind == FRAME_TRUNCATED )
        return "-";
    return xenoprof_mode_name(frame->key.mode);
}

static void put_diff_columns(const struct outline *outline, uint32_t number,
                             uint32_t above)
{
    const struct diff_node *node = diff_call_node(outline, number);
    const struct change *change = &node->change;
    const struct change *same = &diff_call_node(outline, above)->change;
    char error[16];

    snprintf(error, sizeof(error), "%.2f", 100 * change->error);
    if ( above != number && same->before == change->before &&
         same->after == change->after )
        fprintf(outline->file, "%*s", (int)COLUMNS_WIDTH - 8, "");
    else
        fprintf(outline->file, "%6.2f%%  %+7.2f%%  %*s%s%s %s  ",
                100 * change->after, change_percent(change),
                (int)(5 - strlen(error)), "", outline->screen->lines->about,
                error, change->beyond ? "*" : " ");
    fprintf(outline->file, "%-6s  ", mode_of(outline, node));
}

static void leave_change_out(const struct outline *outline, uint32_t node,
                             struct outline_rest *rest)
{
    rest->before += diff_call_node(outline, node)->change.before;
    rest->after += diff_call_node(outline, node)->change.after;
}

static void put_diff_rest(const struct outline *outline,
                          const struct outline_rest *rest)
{
    const struct change sum = {.before = rest->before, .after = rest->after};

    fprintf(outline->file, "%6.2f%%  %+7.2f%%  %18s", 100 * sum.after,
            change_percent(&sum), "");
}

static const struct outline_source diff_calls_source = {
    diff_call_child_count, diff_call_child,  is_small_change,
    is_diff_call_frame,    diff_call_text,   diff_call_colour,
    put_diff_columns,      leave_change_out, put_diff_rest,
};

static void print_tree(const struct diff_page *page, FILE *file)
{
    const struct report *report = page->report;
    struct outline_rest rest = {.count = 0};
    const struct outline outline = {
        .source = &diff_calls_source,
        .data = page,
        .screen = &report->layout->screen,
        .file = file,
        .width = report->layout->width,
        .columns_width = COLUMNS_WIDTH,
        .max_depth = report->query->max_depth,
        .rest = &rest,
    };

    fprintf(file, "  after    change   error    mode    function\n");
    if ( !diff_tree_node(&page->diff, NODE_ROOT)->count )
        fputs("(no samples)\n", file);
    outline_print(&outline, NODE_ROOT);
    outline_print_rest(&outline, query_limit(report->query));
}

static void print_call_diff(const struct report *report, enum tree_order order,
                            FILE *file)
{
    const struct query *query = report->query;
    const struct tree_plan plan = {
        .order = order,
        .groups = query_groups(query),
    };
    struct diff_page page = {.report = report};

    diff_tree_build(&page.diff, report, &plan, query->normalize);
    diff_header(report, page.diff.whole, page.diff.beyond,
                page.diff.nodes.count - 1, file);
    print_tree(&page, file);
    diff_tree_free(&page.diff);
}

static void print_diff_callgraph(const struct report *report, FILE *file)
{
    print_call_diff(report, TREE_CALLEES, file);
}

static void print_diff_callers(const struct report *report, FILE *file)
{
    print_call_diff(report, TREE_CALLERS, file);
}

const struct view view_diff_callgraph = {
    .print = print_diff_callgraph,
    .stacks = true,
};

const struct view view_diff_callers = {
    .print = print_diff_callers,
    .once = true,
    .stacks = true,
};
