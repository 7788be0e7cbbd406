/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --html=FILE: a page to explore a session, in one file that needs no other;
 * doc/page.md describes it.
 */
#include "base/must.h"
#include "page-again.h"
#include "page-code.h"
#include "page-info.h"
#include "page-file.h"
#include "page-owners.h"
#include "page-pcpus.h"
#include "page-waits.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/model/sessions.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_US    1000u
#define SECTIONS_OWN SECTION_RUNS /* those after them are the events' */

static void put_section(struct bytes *all, struct bytes *section)
{
    bytes_section(all, section);
    bytes_free(section);
}

static void put_data(const struct page_info *info, FILE *file)
{
    const bool timed = info->report->loaded->types.shown < XENOPROF_TYPE_EVENT;
    struct bytes sections[SECTIONS_OWN] = {{.buffer = {NULL, 0, 0}}};
    struct bytes all = {.buffer = {NULL, 0, 0}},
                 owners = {.buffer = {NULL, 0, 0}},
                 waits = {.buffer = {NULL, 0, 0}},
                 pcpus = {.buffer = {NULL, 0, 0}},
                 code = {.buffer = {NULL, 0, 0}};

    page_nodes_put(info->nodes, timed ? NS_PER_US : 1,
                   &sections[SECTION_NODE_UPS], &sections[SECTION_NODE_VALUES],
                   &sections[SECTION_NODE_TIMES]);
    page_info_put(info, &sections[SECTION_INFO],
                  &sections[SECTION_FRAME_IMAGES],
                  &sections[SECTION_FRAME_MODES]);
    for ( size_t i = 0; i < SECTIONS_OWN; i++ )
        put_section(&all, &sections[i]);
    bytes_section(&all, &info->events->runs);
    bytes_section(&all, &info->events->nodes);
    bytes_section(&all, &info->events->counts);
    page_owners_put(info->report, &owners);
    put_section(&all, &owners);
    page_waits_put(info->report->loaded, &waits);
    put_section(&all, &waits);
    page_pcpus_put(info->report, &pcpus);
    put_section(&all, &pcpus);
    page_code_put(info->report, info->nodes, &code);
    put_section(&all, &code);
    page_file_put_data(&all, file);
    bytes_free(&all);
}

static void put_tree(const struct report *report, const struct tree *tree,
                     FILE *file)
{
    struct page_nodes nodes = {.tree = tree};
    struct page_events events = {.count = 0};
    struct frame_texts texts = {.loaded = report->loaded};
    const struct page_info info = {report, &nodes, &events, &texts};

    page_nodes_build(&nodes, tree, report->stacks);
    page_events_build(&events, report->loaded, report->stacks, &nodes);
    frame_texts_init(&texts, report->loaded, report->stacks);
    put_data(&info, file);
    frame_texts_free(&texts);
    page_events_free(&events);
    page_nodes_free(&nodes);
}

/* The data of the type of samples that the report has. */
static void put_type_tree(const struct report *report, FILE *file)
{
    struct tree_plan plan = tree_by_domain;
    struct tree tree;

    plan.ends = true;
    tree_build(&tree, report->loaded, report->stacks, &plan);
    put_tree(report, &tree, file);
    tree_free(&tree);
}

/* Of another type: only one is in memory beside that which the report has. */
static void put_other(const struct report *report, char *name, FILE *file)
{
    struct query query = *report->query;
    struct gathered_session gathered;
    struct report other = *report;

    query.event = name;
    other.query = &query;
    other.loaded = &gathered.loaded;
    other.stacks = &gathered.stacks;
    if ( page_again(report, &query, &gathered) )
    {
        page_file_next(name, file);
        put_type_tree(&other, file);
    }
    gathered_free(&gathered);
}

/* The types that a reader can choose from, unless one was asked for: as many as
 * reading them takes few bytes, whatever a session says that it has. */
static void put_others(const struct report *report, FILE *file)
{
    const struct types *types = &report->loaded->types;
    uint64_t bytes = 0;

    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        struct sample_type type = types->type[i];

        if ( types->wanted || !type.samples || i == types->shown )
            continue;
        bytes += session_bytes(report->path);
        if ( bytes <= PAGE_AGAIN_BYTES )
            put_other(report, type.name, file);
    }
}

static void print_html(const struct report *report, FILE *file)
{
    const struct types *types = &report->loaded->types;
    char *title SCOPE_FREE = session_title(report->name, report->loaded);

    page_file_begin(title, types_shown(types)->name, file);
    put_type_tree(report, file);
    put_others(report, file);
    page_file_end(file);
}

const struct view view_html = {
    .print = print_html,
    .option = "html",
    .what = "a page to explore the session with, in a browser",
    .stacks = true,
    .times = true,
    .who = true,
    .to_file = true,
};
