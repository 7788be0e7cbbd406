/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --folded: one line a stack, for the tools that take that; xenopreport(1)
 * describes it.
 */
#include "base/must.h"
#include "base/buffer.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "folded-name.h"
#include "report/model/frame-text.h"
#include "report/model/report.h"
#include "report/model/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct folded {
    const struct report *report;
    struct tree tree;
    struct frame_texts texts;
    char **names;       /* of frames, by number, once they are needed */
    struct buffer line; /* names from the root to where the walk is */
    FILE *file;
};

static char *make_frame_name(const struct folded *folded, uint32_t number)
{
    const struct frame *frame = stacks_frame(folded->report->stacks, number);
    char *symbol SCOPE_FREE = frame_with_line(
        &folded->texts, frame, frame_symbol(&folded->texts, frame));

    return folded_frame_name(symbol, &frame->key);
}

static char *make_level_name(const struct loaded *loaded, enum label label,
                             uint64_t value)
{
    const struct loaded_domain *domain;
    const char *name;
    char *text SCOPE_FREE = NULL;
    char number[12];

    if ( label != LABEL_DOMAIN )
    {
        text = label_level_text(loaded, label, value);
        return folded_name(text, "");
    }
    domain = loaded_domain(loaded, (uint32_t)value);
    name = names_text(&loaded->names, domain->name);
    snprintf(number, sizeof(number), "%" PRIu32, domain->key.number);
    return folded_name(name && *name ? name : number, "");
}

/* Put a name behind length bytes of the line. */
static size_t put_folded_name(struct folded *folded, size_t length,
                              const char *name)
{
    struct buffer *line = &folded->line;

    line->used = length;
    if ( length )
        must_do(buffer_append(line, ";", 1));
    must_do(buffer_append(line, name, strlen(name)));
    return line->used;
}

static size_t put_folded_node(struct folded *folded, size_t length,
                              const struct node *node)
{
    uint32_t number = (uint32_t)node->key.value;
    char *level SCOPE_FREE = NULL;

    if ( node->key.kind == NODE_FRAME )
    {
        if ( !folded->names[number] )
            folded->names[number] = make_frame_name(folded, number);
        return put_folded_name(folded, length, folded->names[number]);
    }
    level = make_level_name(folded->report->loaded, (enum label)node->key.kind,
                            node_value(node));
    return put_folded_name(folded, length, level);
}

static bool is_idle_folded_node(const struct node *node)
{
    return node->key.kind == (uint32_t)LABEL_DOMAIN &&
           node_value(node) == DOMAIN_INDEX_IDLE;
}

/* Time of a domain of which no sample says anything stands for itself; that in
 * which a pCPU idled is left out.  What samples say that wait for names is at a
 * frame, and has none of them. */
static void print_self(const struct folded *folded, size_t length,
                       const struct node *node)
{
    const struct amount self = tree_self(&folded->tree, node);

    if ( self.time && !is_idle_folded_node(node) )
        fprintf(folded->file, "%.*s%s %" PRIu64 "\n", (int)length,
                (const char *)folded->line.bytes,
                self.samples || node->key.kind == NODE_FRAME ? ""
                                                             : ";[not sampled]",
                self.time);
}

/* As deep as the deepest stack, which the session's format limits. */
static void print_folded_below(struct folded *folded, size_t length,
                               uint32_t number)
{
    const struct node *node = tree_node(&folded->tree, number);

    if ( number != NODE_ROOT )
    {
        length = put_folded_node(folded, length, node);
        print_self(folded, length, node);
    }
    for ( uint32_t i = 0; i < tree_children(&folded->tree, node); i++ )
        print_folded_below(folded, length, tree_child(&folded->tree, node, i));
}

static void print_folded(const struct report *report, FILE *file)
{
    struct folded folded = {.report = report, .file = file};
    const struct label_list groups = query_groups(report->query);
    const struct tree_plan plan = tree_by_labels(&groups);

    folded.names = must(
        calloc(report->stacks->frames.count + 1, sizeof(*folded.names)));
    tree_build(&folded.tree, report->loaded, report->stacks, &plan);
    frame_texts_init(&folded.texts, report->loaded, report->stacks);
    print_folded_below(&folded, 0, NODE_ROOT);
    for ( size_t i = 0; i < report->stacks->frames.count; i++ )
        free(folded.names[i]);
    free(folded.names);
    buffer_free(&folded.line);
    frame_texts_free(&folded.texts);
    tree_free(&folded.tree);
}

const struct view view_folded = {
    .print = print_folded,
    .option = "folded",
    .what = "one line for each call chain: its names, and its time in ns",
    .stacks = true,
};
