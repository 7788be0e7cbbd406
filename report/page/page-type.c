/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-type.h"

#include "base/must.h"
#include "page-code.h"
#include "page-info.h"
#include "page-owners.h"
#include "page-pcpus.h"
#include "page-waits.h"

#define NS_PER_US 1000u

static void put_section(struct bytes *all, struct bytes *section)
{
    bytes_section(all, section);
    bytes_free(section);
}

/* Sections for which the session is read again: before others take memory. */
struct page_read_again {
    struct bytes pcpus, code;
};

static void put_data(const struct page_info *info, struct page_events *events,
                     struct page_read_again *again, page_data_put *put,
                     FILE *file)
{
    const bool timed = info->report->loaded->types.shown < XENOPROF_TYPE_EVENT;
    struct node_columns columns = {.ups = {.used = 0}};
    struct bytes all = {.buffer = {NULL, 0, 0}},
                 text = {.buffer = {NULL, 0, 0}},
                 images = {.buffer = {NULL, 0, 0}},
                 modes = {.buffer = {NULL, 0, 0}},
                 owners = {.buffer = {NULL, 0, 0}},
                 waits = {.buffer = {NULL, 0, 0}};

    page_info_put(info, &text, &images, &modes);
    put_section(&all, &text);
    put_section(&all, &images);
    put_section(&all, &modes);
    page_nodes_put(info->nodes, timed ? NS_PER_US : 1, &columns);
    page_columns_put(&columns, &all);
    bytes_section(&all, &events->runs);
    bytes_planes(&all, &events->nodes);
    bytes_planes(&all, &events->counts);
    page_owners_put(info->report, &owners);
    put_section(&all, &owners);
    page_waits_put(info->report->loaded, &waits);
    put_section(&all, &waits);
    put_section(&all, &again->pcpus);
    put_section(&all, &again->code);
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
    struct page_read_again again = {.pcpus = {.buffer = {NULL, 0, 0}}};

    page_nodes_build(&nodes, tree, report->stacks, report->loaded->cells.count);
    page_pcpus_put(report, &again.pcpus);
    page_code_put(report, &nodes, &again.code);
    page_events_build(&events, report->loaded, report->stacks, &nodes);
    frame_texts_init(&texts, report->loaded, report->stacks);
    put_data(&info, &events, &again, put, file);
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
