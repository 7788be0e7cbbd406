/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls.h"

#include "base/must.h"
#include "header.h"
#include "header-short.h"
#include "header-line.h"
#include "header-samples.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/model/report.h"
#include "layout.h"
#include "outline.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_HOT 5.0

static void init_calls(struct calls *calls, const struct report *report,
                       const struct tree_plan *plan, bool in_turns)
{
    *calls = (struct calls){
        .report = report, .in_turns = in_turns, .order = plan->order};
    calls->names = must(
        calloc(report->stacks->frames.count + 1, sizeof(*calls->names)));
    frame_texts_init(&calls->texts, report->loaded, report->stacks);
    if ( calls->in_turns )
        tree_turns_init(&calls->turns, report->loaded, report->stacks, plan);
    else
        tree_build(&calls->tree, report->loaded, report->stacks, plan);
}

static struct tree_plan calls_plan(const struct report *report,
                                   enum tree_order order, const bool *pivots)
{
    return (struct tree_plan){
        .order = order,
        .groups = query_groups(report->query),
        .pivots = pivots,
    };
}

void calls_init(struct calls *calls, const struct report *report,
                enum tree_order order, const bool *pivots)
{
    const struct tree_plan plan = calls_plan(report, order, pivots);

    init_calls(calls, report, &plan, !pivots && plan.groups.count);
}

void calls_init_whole(struct calls *calls, const struct report *report,
                      enum tree_order order, const bool *pivots)
{
    const struct tree_plan plan = calls_plan(report, order, pivots);

    init_calls(calls, report, &plan, false);
}

void calls_free(struct calls *calls)
{
    for ( size_t i = 0; calls->names && i < calls->report->stacks->frames.count;
          i++ )
        free(calls->names[i]);
    free(calls->names);
    frame_texts_free(&calls->texts);
    tree_free(&calls->tree);
    tree_turns_free(&calls->turns);
}

/* With all that there is, but not all that is below. */
static const struct tree *tree_of(const struct calls *calls)
{
    return calls->in_turns ? &calls->turns.groups : &calls->tree;
}

static const struct calls *calls_of(const struct outline *outline)
{
    return outline->data;
}

static const struct node *call_node(const struct outline *outline,
                                    uint32_t node)
{
    return tree_node(tree_of(calls_of(outline)), node);
}

static uint32_t call_child_count(const struct outline *outline, uint32_t node)
{
    return tree_children(tree_of(calls_of(outline)), call_node(outline, node));
}

static uint32_t call_child(const struct outline *outline, uint32_t node,
                           uint32_t index)
{
    return tree_child(tree_of(calls_of(outline)), call_node(outline, node),
                      index);
}

static double node_percent(const struct outline *outline, uint32_t node)
{
    return tree_percent(tree_of(calls_of(outline)),
                        call_node(outline, node)->total.time);
}

static bool is_small_call(const struct outline *outline, uint32_t node)
{
    return node_percent(outline, node) <
           query_limit(calls_of(outline)->report->query);
}

static bool is_call_frame(const struct outline *outline, uint32_t node)
{
    return call_node(outline, node)->key.kind == NODE_FRAME;
}

static const struct frame *call_frame(const struct outline *outline,
                                      const struct node *node)
{
    return stacks_frame(calls_of(outline)->report->stacks,
                        (uint32_t)node->key.value);
}

static char *call_text(const struct outline *outline, uint32_t number)
{
    const struct calls *calls = calls_of(outline);
    const struct node *node = call_node(outline, number);
    enum label label = (enum label)node->key.kind;
    char *value SCOPE_FREE = NULL;
    char **name;

    /* Most functions stand in many places. */
    if ( node->key.kind == NODE_FRAME )
    {
        name = &calls->names[node->key.value];
        if ( !*name )
            *name = frame_text(&calls->texts, call_frame(outline, node));
        return must(strdup(*name));
    }
    if ( label == LABEL_DOMAIN )
        return label_text(calls->report->loaded, label, node_value(node),
                          LABEL_NONE);
    value = label_text(calls->report->loaded, label, node_value(node),
                       LABEL_NONE);
    return value ? must_text("%s %s", label_name(label), value) : NULL;
}

static enum colour call_colour(const struct outline *outline, uint32_t number)
{
    static const enum colour colours[XENOPROF_MODES] = {
        COLOUR_XEN, COLOUR_KERNEL, COLOUR_USER, COLOUR_MARK};
    const struct node *node = call_node(outline, number);
    const struct frame *frame;

    if ( node->key.kind != NODE_FRAME )
        return COLOUR_GROUP;
    frame = call_frame(outline, node);
    if ( frame_is_absent(frame) )
        return COLOUR_MARK;
    return colours[frame->key.mode];
}

static void put_call_percent(const struct outline *outline, uint64_t time,
                             bool shown)
{
    double percent = tree_percent(tree_of(calls_of(outline)), time);
    bool hot = percent >= LIMIT_HOT && shown;

    if ( hot )
        screen_begin(outline->screen, COLOUR_HOT, outline->file);
    if ( shown )
        fprintf(outline->file, "%6.2f%%  ", percent);
    else
        fprintf(outline->file, "%9s", "");
    if ( hot )
        screen_end(outline->screen, outline->file);
}

/* Callers have no time of their own in a tree of callers. */
static bool has_self(const struct outline *outline)
{
    return calls_of(outline)->order == TREE_CALLEES;
}

static void put_call_columns(const struct outline *outline, uint32_t number,
                             uint32_t above)
{
    const struct node *node = call_node(outline, number);
    bool same = above != number &&
                node->total.time == call_node(outline, above)->total.time;
    uint64_t self;

    put_call_percent(outline, node->total.time, !same);
    if ( has_self(outline) )
    {
        self = tree_self(tree_of(calls_of(outline)), node).time;
        put_call_percent(outline, self, self > 0);
    }
    fprintf(outline->file, "%-6s  ",
            node->key.kind == NODE_FRAME ? frame_mode(call_frame(outline, node))
                                         : "");
}

static void leave_call_out(const struct outline *outline, uint32_t node,
                           struct outline_rest *rest)
{
    rest->after += node_percent(outline, node);
}

static void put_call_rest(const struct outline *outline,
                          const struct outline_rest *rest)
{
    fprintf(outline->file, "%6.2f%%%*s", rest->after,
            (int)outline->columns_width - 7, "");
}

static const struct outline_source calls_source = {
    call_child_count, call_child,     is_small_call,
    is_call_frame,    call_text,      call_colour,
    put_call_columns, leave_call_out, put_call_rest,
};

/* Children of the root are there by time: those that are shown come first. */
static void print_turns(const struct outline *outline)
{
    const struct tree *groups = tree_of(calls_of(outline));
    size_t count = call_child_count(outline, NODE_ROOT), shown = 0;
    struct calls part = *calls_of(outline);
    struct outline below = *outline;

    part.in_turns = false;
    below.data = &part;
    for ( ; shown < count && !is_small_call(outline, groups->children[shown]);
          shown++ )
    {
        /* One child of the root, and all below it. */
        tree_turn(&part.turns, groups->children[shown], &part.tree);
        outline_print(&below, NODE_ROOT);
        tree_free(&part.tree);
    }
    for ( ; shown < count; shown++ )
        outline_leave_out(outline, groups->children[shown]);
}

struct outline calls_outline(const struct calls *calls,
                             struct outline_rest *rest, FILE *file)
{
    const struct report *report = calls->report;

    return (struct outline){
        .source = &calls_source,
        .data = calls,
        .screen = &report->layout->screen,
        .file = file,
        .width = report->layout->width,
        .columns_width = calls->order == TREE_CALLEES ? 26 : 17,
        .max_depth = report->query->max_depth,
        .rest = rest,
    };
}

void calls_title(const struct calls *calls, const char *title, FILE *file)
{
    fprintf(file, "percent  %s%-6s  %s\n",
            calls->order == TREE_CALLEES ? "   self  " : "", "mode", title);
}

void calls_print(const struct calls *calls, const char *title, FILE *file)
{
    struct outline_rest rest = {.count = 0};
    const struct outline outline = calls_outline(calls, &rest, file);

    calls_title(calls, title, file);
    if ( !call_child_count(&outline, NODE_ROOT) )
        fputs("(no samples)\n", file);
    if ( calls->in_turns )
        print_turns(&outline);
    else
        outline_print(&outline, NODE_ROOT);
    outline_print_rest(&outline, query_limit(calls->report->query));
}

static struct profile calls_profile(const struct calls *calls)
{
    const struct tree *tree = tree_of(calls);
    const struct amount *total = &tree_node(tree, NODE_ROOT)->total;

    return (struct profile){.samples = total->samples,
                            .time = total->time,
                            .time_all = tree->time_all};
}

/* Children of the root that are below the limit, */
struct small {
    uint32_t count;
    uint64_t time;
    uint64_t all; /* ... and the time of these and of those that are not */
};

static struct small count_small(const struct calls *calls)
{
    const struct outline outline = {.data = calls};
    struct small small = {.count = 0};

    for ( uint32_t i = 0; i < call_child_count(&outline, NODE_ROOT); i++ )
    {
        const uint32_t child = call_child(&outline, NODE_ROOT, i);
        const struct node *node = call_node(&outline, child);

        if ( node_is_idle(node) )
            continue;
        small.all += node->total.time;
        if ( !is_small_call(&outline, child) )
            continue;
        small.time += node->total.time;
        small.count++;
    }
    return small;
}

/* A host of hundreds of domains may have no large one: then there is another
 * tree to look at. */
static void print_small(const struct calls *calls, FILE *file)
{
    struct header_line line = header_line_begin(calls->report, file);
    const struct label_list groups = query_groups(calls->report->query);
    const struct small small = count_small(calls);
    const double limit = query_limit(calls->report->query);

    if ( calls->in_turns && small.time > small.all / 2 )
        header_line_add(&line,
                        "%.2f%% is in %u %s below %g%% each: --sort=symbol "
                        "shows all of them in one tree, --percent-limit=%g "
                        "shows smaller ones",
                        tree_percent(tree_of(calls), small.time), small.count,
                        groups.label[0] == LABEL_DOMAIN ? "domains" : "groups",
                        limit, limit / 10);
    header_line_end(&line, "small");
}

void calls_end(const struct calls *calls, FILE *file)
{
    const struct profile profile = calls_profile(calls);

    fputc('\n', file);
    print_small(calls, file);
    header_end(calls->report, &profile, file);
}

void calls_header(const struct calls *calls, FILE *file)
{
    const struct profile profile = calls_profile(calls);

    header_print(calls->report, &profile, file);
    header_stacks(calls->report, file);
    fputc('\n', file);
}

void calls_report(const struct report *report, enum tree_order order,
                  const char *title, FILE *file)
{
    struct calls calls;

    calls_init(&calls, report, order, NULL);
    calls_header(&calls, file);
    calls_print(&calls, title, file);
    calls_end(&calls, file);
    calls_free(&calls);
}
