/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff with --html=FILE: a page to explore what changed.  Its data has the
 * form of --html (doc/page.md), without samples, and with two columns more.
 */
#include "base/must.h"
#include "base/scope.h"
#include "report/model/diff.h"
#include "report/changes/diff-header.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"
#include "report/model/report.h"
#include "report/types/type-text.h"
#include "page-info.h"
#include "page-file.h"
#include "page-nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE 1000000000.0 /* all time of a side, in columns */
/* Sections that are empty: runs, nodes and counts of samples, owners, waits,
 * pCPUs, code. */
#define SECTIONS_EMPTY 7u

/* Groups that are not domains come first in the list of domains. */
static const char *const fixed_domains[] = {DOMAIN_OTHER_NAME,
                                            DOMAIN_IDLE_NAME};
#define FIXED_DOMAINS (sizeof(fixed_domains) / sizeof(fixed_domains[0]))

/* Which functions' own shares changed beyond noise. */
struct diff_functions {
    struct amount (*amounts)[2]; /* of each frame itself, on each side */
    struct change *changes;      /* of each frame */
    size_t count;
};

struct compared_page {
    const struct report *report;
    struct diff_tree diff;
    struct diff_functions functions;
    uint32_t *order;  /* nodes in the order of a walk */
    uint32_t *depths; /* by node */
    struct bytes info, images, modes;
    struct node_columns columns;
    struct planes before, after, beyond;
};

/* Sums up the nodes of a tree that has been built, and tests all functions at
 * once. */
static void diff_functions_make(struct diff_functions *functions,
                                const struct diff_tree *diff)
{
    size_t count = diff->names.frames.count;
    struct change **changes SCOPE_FREE = must(
        calloc(count + 1, sizeof(*changes)));

    *functions = (struct diff_functions){.count = count};
    if ( !count )
        return;
    functions->amounts = must(calloc(count, sizeof(*functions->amounts)));
    functions->changes = must(calloc(count, sizeof(*functions->changes)));
    for ( size_t i = 0; i < diff->nodes.count; i++ )
    {
        const struct diff_node *node = diff_tree_node(diff, (uint32_t)i);

        for ( unsigned int side = 0; node->key.kind == NODE_FRAME && side < 2;
              side++ )
            amount_add(&functions->amounts[node->key.value][side],
                       node->self[side]);
    }
    for ( size_t i = 0; i < count; i++ )
    {
        diff_test(diff->whole, diff->normalize, functions->amounts[i],
                  &functions->changes[i]);
        changes[i] = &functions->changes[i];
    }
    noise_mark(changes, count);
}

static uint32_t compared_child_count(const void *data, uint32_t node)
{
    return diff_tree_node(data, node)->count;
}

static uint32_t compared_child(const void *data, uint32_t node, uint32_t index)
{
    const struct diff_tree *diff = data;

    return diff->children[diff_tree_node(diff, node)->first + index];
}

/* Returns the page's number of a domain, by its name's text. */
static uint64_t domain_page_number(const struct compared_page *page,
                                   uint32_t text)
{
    const char *name = names_text(&page->diff.names.texts, text);

    for ( size_t i = 0; i < FIXED_DOMAINS; i++ )
        if ( !strcmp(name, fixed_domains[i]) )
            return i;
    return FIXED_DOMAINS - 1 + text;
}

static uint64_t rounded_share(const struct compared_page *page,
                              const struct diff_node *node, unsigned int side)
{
    return (uint64_t)llround(WHOLE * diff_share(&page->diff.whole[side],
                                                page->diff.normalize,
                                                &node->self[side]));
}

static void put_compared_node(struct compared_page *page, uint32_t number,
                              uint32_t above)
{
    const struct diff_node *node = diff_tree_node(&page->diff, number);
    uint64_t before = rounded_share(page, node, 0),
             after = rounded_share(page, node, 1);
    struct node_columns *columns = &page->columns;

    page->depths[number] = page->depths[node->key.parent] + 1;
    planes_put(&columns->ups, page->depths[above] + 1 - page->depths[number]);
    planes_put(&columns->values,
               node->key.kind == NODE_FRAME
                   ? node->key.value
                   : domain_page_number(page, (uint32_t)node->key.value));
    planes_put(&columns->marks, node->count > 0); /* all have one */
    planes_put(&columns->times, before > after ? before : after);
    planes_put(&page->before, before);
    planes_put(&page->after, after);
    planes_put(&page->beyond, node->change.beyond);
}

static void put_nodes(struct compared_page *page)
{
    static const struct flame_look look = {.children = compared_child_count,
                                           .child = compared_child};
    size_t count = page->diff.nodes.count;

    page->order = must(calloc(count, sizeof(*page->order)));
    page->depths = must(calloc(count, sizeof(*page->depths)));
    page_walk(&look, &page->diff, count, page->order);
    for ( size_t i = 1; i < count; i++ )
        put_compared_node(page, page->order[i], page->order[i - 1]);
}

static void put_compared_frames(struct compared_page *page)
{
    for ( size_t i = 0; i < page->diff.names.frames.count; i++ )
    {
        const struct diff_frame *frame = diff_tree_frame(&page->diff, i);
        bool code = frame->key.kind == FRAME_CODE ||
                    frame->key.kind == FRAME_UNKNOWN;

        bytes_number(&page->images, frame->key.image);
        bytes_number(&page->modes, code ? frame->key.mode : XENOPROF_MODES);
    }
}

static void put_compared_session(struct json *json, const char *key,
                                 const struct report *report)
{
    json_key(json, key);
    json_object_begin_flat(json);
    json_put_text(json, "name", report->name);
    json_put_text(json, "time", report->part);
    json_put_number(json, "duration_ns",
                    loaded_since(report->loaded, report->loaded->last));
    json_put_number(json, "read", report->loaded->read);
    json_put_number(json, "lost",
                    loaded_lost_all(report->loaded) +
                        loaded_unreadable(report->loaded));
    json_object_end(json);
}

static void put_comparison(struct json *json, const struct compared_page *page)
{
    char whole[TYPE_TEXT + sizeof("all ")];

    json_key(json, "diff");
    json_object_begin(json);
    put_compared_session(json, "before", page->report->base);
    put_compared_session(json, "after", page->report);
    snprintf(whole, sizeof(whole), "all %s", type_whole(page->report->loaded));
    json_put_text(json, "normalize",
                  page->diff.normalize == NORMALIZE_TIME
                      ? whole
                      : "the samples that are shown");
    json_put_number(json, "tested", page->diff.nodes.count - 1);
    json_put_number(json, "beyond", page->diff.beyond);
    json_object_end(json);
}

/* All texts; the number of an image or domain is its text's, less one. */
static void put_texts(struct json *json, const struct names *texts)
{
    for ( size_t i = 1; i <= texts->count; i++ )
        json_string(json, names_text(texts, (uint32_t)i));
}

static void put_compared_names(struct json *json,
                               const struct compared_page *page)
{
    const struct diff_names *names = &page->diff.names;

    json_key(json, "domain_names");
    json_array_begin(json);
    for ( size_t i = 0; i < FIXED_DOMAINS; i++ )
        json_string(json, fixed_domains[i]);
    put_texts(json, &names->texts);
    json_array_end(json);
    json_key(json, "image_names");
    json_array_begin(json);
    put_texts(json, &names->texts);
    json_array_end(json);
    json_key(json, "frame_names");
    json_array_begin(json);
    for ( size_t i = 0; i < names->frames.count; i++ )
        json_string(json, names_text(&names->texts,
                                     diff_tree_frame(&page->diff, i)->text));
    json_array_end(json);
}

/* In the unit of the columns: what a change of each function's own share can be
 * by chance, and whether it is more than that. */
static void put_changes(struct json *json,
                        const struct diff_functions *functions)
{
    json_key(json, "frame_errors");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < functions->count; i++ )
        json_u64(json, (uint64_t)llround(WHOLE * functions->changes[i].error));
    json_array_end(json);
    json_key(json, "frame_beyond");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < functions->count; i++ )
        json_u64(json, functions->changes[i].beyond);
    json_array_end(json);
}

/* Without samples there is no time. */
static void put_no_time(struct json *json)
{
    json_key(json, "lanes");
    json_array_begin_flat(json);
    json_array_end(json);
    json_key(json, "timeline");
    json_object_begin_flat(json);
    json_put_number(json, "length_ns", 0);
    json_put_number(json, "bin_ns", 1000000);
    json_put_number(json, "bins", 0);
    json_object_end(json);
}

static void put_info(struct compared_page *page, const char *title)
{
    const struct profile profile = {.time_all = page->diff.whole[1].time};
    struct json json;
    char *text SCOPE_FREE = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    json_init(&json, file);
    json_object_begin(&json);
    json_put_number(&json, "version", PAGE_VERSION);
    json_put_session(&json, page->report, &profile);
    json_put_text(&json, "title", title);
    put_comparison(&json, page);
    put_compared_names(&json, page);
    put_changes(&json, &page->functions);
    put_no_time(&json);
    page_info_selection(&json, page->report);
    json_object_end(&json);
    json_finish(&json);
    must_do(!fclose(file));
    bytes_put(&page->info, text, size);
}

static void put_compared_data(struct compared_page *page, FILE *file)
{
    struct bytes *first[] = {&page->info, &page->images, &page->modes};
    struct bytes all = {.buffer = {NULL, 0, 0}};

    for ( size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++ )
    {
        bytes_section(&all, first[i]);
        bytes_free(first[i]);
    }
    page_columns_put(&page->columns, &all);
    for ( size_t i = 0; i < SECTIONS_EMPTY; i++ )
        bytes_number(&all, 0);
    bytes_planes(&all, &page->before);
    bytes_planes(&all, &page->after);
    bytes_planes(&all, &page->beyond);
    page_file_put_data(&all, file);
    bytes_free(&all);
}

static void print_diff_html(const struct report *report, FILE *file)
{
    struct compared_page page = {.report = report};
    char *title SCOPE_FREE = diff_title(report);

    diff_tree_build(&page.diff, report, &tree_by_domain,
                    report->query->normalize);
    diff_functions_make(&page.functions, &page.diff);
    put_nodes(&page);
    put_info(&page, title);
    put_compared_frames(&page);
    page_file_begin(title, types_shown(&report->loaded->types)->name, file);
    put_compared_data(&page, file);
    page_file_end(file);
    free(page.order);
    free(page.depths);
    free(page.functions.amounts);
    free(page.functions.changes);
    diff_tree_free(&page.diff);
}

const struct view view_diff_html = {
    .print = print_diff_html,
    .stacks = true,
    .to_file = true,
};
