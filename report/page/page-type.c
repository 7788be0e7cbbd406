/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-type.h"

#include "base/must.h"
#include "page-code.h"
#include "page-info.h"
#include "page-owners.h"
#include "page-pcpus.h"
#include "page-waits.h"

#define NS_PER_US    1000u
#define SECTIONS_OWN SECTION_RUNS /* those after them are the events' */

static void put_section(struct bytes *all, struct bytes *section)
{
    bytes_section(all, section);
    bytes_free(section);
}

static void put_data(const struct page_info *info, page_data_put *put,
                     FILE *file)
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
    put(&all, file);
    bytes_free(&all);
}

static void put_tree(const struct report *report, const struct tree *tree,
                     page_data_put *put, FILE *file)
{
    struct page_nodes nodes = {.tree = tree};
    struct page_events events = {.count = 0};
    struct frame_texts texts = {.loaded = report->loaded};
    const struct page_info info = {report, &nodes, &events, &texts};

    page_nodes_build(&nodes, tree, report->stacks);
    page_events_build(&events, report->loaded, report->stacks, &nodes);
    frame_texts_init(&texts, report->loaded, report->stacks);
    put_data(&info, put, file);
    frame_texts_free(&texts);
    page_events_free(&events);
    page_nodes_free(&nodes);
}

void page_type_put(const struct report *report, page_data_put *put, FILE *file)
{
    struct tree_plan plan = tree_by_domain;
    struct tree tree;

    plan.ends = true;
    tree_build(&tree, report->loaded, report->stacks, &plan);
    put_tree(report, &tree, put, file);
    tree_free(&tree);
}
