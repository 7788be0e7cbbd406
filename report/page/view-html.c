/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --html=FILE: a page to explore a session, in one file that needs no other;
 * doc/page.md describes it.
 */
#include "page-info.h"
#include "page-file.h"

#define SECTIONS_OWN SECTION_RUNS /* those after them are the events' */

static bool gather(const struct page_info *info, struct bytes *sections)
{
    page_nodes_put(info->nodes, &sections[SECTION_NODE_UPS],
                   &sections[SECTION_NODE_VALUES],
                   &sections[SECTION_NODE_TIMES]);
    return page_info_put(info, &sections[SECTION_INFO],
                         &sections[SECTION_FRAME_IMAGES],
                         &sections[SECTION_FRAME_MODES]);
}

static bool put_page(const struct page_info *info, FILE *file)
{
    struct bytes sections[SECTIONS_OWN] = {{.broken = false}};
    struct bytes all = {.broken = false};
    bool put = gather(info, sections);

    for ( size_t i = 0; i < SECTIONS_OWN; i++ )
    {
        bytes_section(&all, &sections[i]);
        bytes_free(&sections[i]);
    }
    bytes_section(&all, &info->events->runs);
    bytes_section(&all, &info->events->nodes);
    bytes_section(&all, &info->events->counts);
    put = put && page_file_put(info->report->name, &all, file);
    bytes_free(&all);
    return put;
}

static bool put_tree(const struct report *report, const struct tree *tree,
                     FILE *file)
{
    struct page_nodes nodes = {.tree = tree};
    struct page_events events = {.count = 0};
    struct frame_texts texts = {.loaded = report->loaded};
    const struct page_info info = {report, &nodes, &events, &texts};
    bool done = page_nodes_build(&nodes, tree, report->stacks) &&
                page_events_build(&events, report->loaded, &nodes) &&
                frame_texts_init(&texts, report->loaded, report->stacks) &&
                put_page(&info, file);

    frame_texts_free(&texts);
    page_events_free(&events);
    page_nodes_free(&nodes);
    return done;
}

static bool print_html(const struct report *report, FILE *file)
{
    struct tree_plan plan = tree_by_domain;
    struct tree tree;
    bool done;

    plan.ends = true;
    done = tree_build(&tree, report->loaded, report->stacks, &plan) &&
           put_tree(report, &tree, file);

    tree_free(&tree);
    return done;
}

const struct view view_html = {
    .print = print_html,
    .option = "html",
    .what = "a page to explore the session with, in a browser",
    .stacks = true,
    .times = true,
    .to_file = true,
};
