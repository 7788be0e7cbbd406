/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --flamegraph=FILE: one picture of all call chains, domain by domain.  Idle
 * time is left out unless it was asked for by --filter=mode=idle: on most hosts
 * it would leave no room for anything else.
 */
#include "base/must.h"
#include "base/scope.h"
#include "report/model/chain-ends.h"
#include "report/text/cost-text.h"
#include "report/text/why-text.h"
#include "report/model/format.h"
#include "flame-svg.h"
#include "report/model/frame-text.h"
#include "report/model/report.h"
#include "report/types/type-text.h"
#include "report/model/tree.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Classes of the style, after those of the modes. */
enum { CLASS_DOMAIN = XENOPROF_MODES, CLASS_ROOT };

struct flamegraph {
    const struct report *report;
    struct tree tree;
    struct frame_texts texts;
    struct verdict verdict;
    struct amount idle; /* what is left out */
};

static const struct node *flame_node(const void *data, uint32_t number)
{
    return tree_node(&((const struct flamegraph *)data)->tree, number);
}

static const struct frame *flame_node_frame(const void *data,
                                            const struct node *node)
{
    const struct flamegraph *picture = data;

    return stacks_frame(picture->report->stacks, (uint32_t)node->key.value);
}

static bool flame_node_absent(const void *data, uint32_t number)
{
    const struct node *node = flame_node(data, number);

    return node->key.kind == NODE_FRAME &&
           frame_is_absent(flame_node_frame(data, node));
}

/* Whether it stands for the idle vCPUs: what is its own was idle. */
static bool is_idle_flame_node(const struct node *node)
{
    return node->key.kind == LABEL_DOMAIN &&
           node->key.value == DOMAIN_INDEX_IDLE;
}

static uint32_t flame_node_children(const void *data, uint32_t node)
{
    const struct flamegraph *picture = data;

    return tree_children(&picture->tree, flame_node(data, node));
}

static uint32_t flame_node_child(const void *data, uint32_t node,
                                 uint32_t index)
{
    const struct tree *tree = &((const struct flamegraph *)data)->tree;

    return tree_child(tree, tree_node(tree, node), index);
}

static struct amount amount_of(const void *data, uint32_t number)
{
    const struct flamegraph *picture = data;
    const struct node *node = flame_node(data, number);
    struct amount amount = node->total;

    if ( number == NODE_ROOT || is_idle_flame_node(node) )
    {
        amount.time -= picture->idle.time;
        amount.samples -= picture->idle.samples;
    }
    return amount;
}

static uint64_t flame_node_length(const void *data, uint32_t node)
{
    return amount_of(data, node).time;
}

static char *flame_node_name(const void *data, uint32_t number)
{
    const struct flamegraph *picture = data;
    const struct node *node = flame_node(data, number);

    if ( number == NODE_ROOT )
        return must(strdup("all"));
    if ( node->key.kind == NODE_FRAME )
        return frame_text(&picture->texts, flame_node_frame(data, node));
    return label_level_text(picture->report->loaded, (enum label)node->key.kind,
                            node_value(node));
}

static unsigned int flame_node_colour(const void *data, uint32_t number)
{
    const struct flamegraph *picture = data;
    const struct node *node = flame_node(data, number);
    const struct frame *frame;

    if ( number == NODE_ROOT )
        return CLASS_ROOT;
    if ( node->key.kind != NODE_FRAME )
        return is_idle_flame_node(node) && !picture->idle.time
                   ? XENOPROF_MODE_IDLE
                   : CLASS_DOMAIN;
    frame = flame_node_frame(data, node);
    if ( frame_is_absent(frame) )
        return XENOPROF_MODE_IDLE;
    return frame->key.mode;
}

static void put_length(const struct flamegraph *picture, uint64_t amount,
                       FILE *file)
{
    char *text SCOPE_FREE = type_length(picture->report->loaded, amount);

    flame_svg_text(text ? text : "?", file);
}

/* "kernel, 1.234 s, 12.34 %, 120 samples" */
static void put_flame_details(const void *data, uint32_t number, FILE *file)
{
    const struct flamegraph *picture = data;
    const struct node *node = flame_node(data, number);
    struct amount amount = amount_of(data, number);
    struct amount self = tree_self(&picture->tree, node);
    bool is_frame = node->key.kind == NODE_FRAME;
    const char *mode = is_frame ? frame_mode(flame_node_frame(data, node))
                                : "-";

    if ( *mode != '-' )
        fprintf(file, "%s, ", mode);
    put_length(picture, amount.time, file);
    fprintf(file, ", %.2f %%, %" PRIu64 " samples",
            tree_percent(&picture->tree, amount.time), amount.samples);
    if ( !is_frame || !self.time )
        return;
    fputs(", ", file);
    put_length(picture, self.time, file);
    fputs(" in itself", file);
}

/* Whose time it was: host, Xen, when, how long. */
static void put_host(const struct loaded *loaded, FILE *file)
{
    const char *host = loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST);
    const char *xen = loaded_attribute(loaded, SESSION_ATTRIBUTE_XEN);
    char text[CLOCK_TEXT];

    if ( host )
    {
        flame_svg_text(host, file);
        fputs(", ", file);
    }
    if ( xen )
    {
        fputs("Xen ", file);
        flame_svg_text(xen, file);
        fputs(", ", file);
    }
    if ( loaded->clocks.utc_known )
    {
        clock_format_utc(clocks_utc(&loaded->clocks, loaded->clocks.start), 0,
                         text);
        fprintf(file, "%s, ", text);
    }
    clock_format_length(loaded_since(loaded, loaded->last), text);
    fputs(text, file);
}

/* How much of it is in the picture, and what is not. */
static void put_sums(const struct flamegraph *picture,
                     const struct flame *flame, FILE *file)
{
    const struct loaded *loaded = picture->report->loaded;
    struct chain_sums chains = chain_ends_sum(loaded);
    char *drawn SCOPE_FREE = type_part(loaded, flame->total);

    fputs("Drawn: ", file);
    flame_svg_text(drawn ? drawn : "?", file);
    fprintf(file, ", %.2f %% of all.",
            tree_percent(&picture->tree, flame->total));
    if ( picture->idle.time )
    {
        fputs(" Not drawn: ", file);
        put_length(picture, picture->idle.time, file);
        fputs(" idle.", file);
    }
    fprintf(file, " Samples: %" PRIu64 " read, %" PRIu64 " lost.", loaded->read,
            loaded_lost_all(loaded) + loaded_unreadable(loaded));
    if ( chains.all )
        fprintf(file, " %.1f %% of chains are whole.",
                percent_of(chains.whole, chains.all));
    flame_svg_hidden(flame, file);
}

/* As the first lines of a text have it. */
static void put_verdict_line(const struct flamegraph *picture, unsigned int at,
                             FILE *file)
{
    if ( at < picture->verdict.line_count )
        flame_svg_text(picture->verdict.lines[at].text, file);
}

static void put_flame_line(const void *data, const struct flame *flame,
                           unsigned int at, FILE *file)
{
    const struct flamegraph *picture = data;
    const struct report *report = picture->report;

    if ( at == 0 )
    {
        char *title SCOPE_FREE = session_title(report->name, report->loaded);

        flame_svg_text(title, file);
    }
    else if ( at == 1 )
    {
        char *cost SCOPE_FREE = cost_text(report->loaded,
                                          picture->tree.time_all);

        put_host(report->loaded, file);
        if ( *cost )
            fprintf(file, "; the profiler took %s", cost);
    }
    else if ( at == 2 )
        put_sums(picture, flame, file);
    else
        put_verdict_line(picture, at - 3, file);
}

static bool idle_wanted(const struct report *report)
{
    const struct filter *filter =
        &report->query->selection.filters[FILTER_MODE];

    for ( size_t i = 0; i < filter->count; i++ )
        if ( filter->items[i].low == XENOPROF_MODE_IDLE )
            return true;
    return false;
}

static void leave_out_idle(struct flamegraph *picture)
{
    for ( uint32_t i = 0; i < flame_node_children(picture, NODE_ROOT); i++ )
    {
        const struct node *node = flame_node(
            picture, flame_node_child(picture, NODE_ROOT, i));

        if ( is_idle_flame_node(node) )
            picture->idle = tree_self(&picture->tree, node);
    }
}

static const struct flame_key mode_keys[] = {
    {XENOPROF_MODE_XEN, 56, "Xen"},
    {XENOPROF_MODE_KERNEL, 72, "kernel"},
    {XENOPROF_MODE_USER, 60, "user"},
    {XENOPROF_MODE_IDLE, 0, "idle or not known"},
    {0, 0, NULL}};

static const struct flame_svg flamegraph_svg = {
    .look = {flame_node_children, flame_node_child, flame_node_length,
             flame_node_name, flame_node_colour, put_flame_details,
             flame_node_absent},
    .keys = mode_keys,
    .line = put_flame_line,
};

static void print_flamegraph(const struct report *report, FILE *file)
{
    struct flamegraph picture = {.report = report};
    const struct label_list groups = query_groups(report->query);
    const struct tree_plan plan = tree_by_labels(&groups);

    tree_build(&picture.tree, report->loaded, report->stacks, &plan);
    frame_texts_init(&picture.texts, report->loaded, report->stacks);
    verdict_build(&picture.verdict, report);
    if ( !idle_wanted(report) )
        leave_out_idle(&picture);
    flame_svg_put(&flamegraph_svg, &picture, picture.tree.nodes.count,
                  report->options->icicle, file);
    frame_texts_free(&picture.texts);
    verdict_free(&picture.verdict);
    tree_free(&picture.tree);
}

const struct view view_flamegraph = {
    .print = print_flamegraph,
    .option = "flamegraph",
    .what = "an SVG picture of all call chains, to zoom and search in",
    .stacks = true,
    .to_file = true,
};
