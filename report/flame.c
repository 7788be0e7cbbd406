/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame.h"

#include "options.h"

#include <stdlib.h>

static bool idle_wanted(const struct report *report)
{
    const struct filter *filter =
        &report->options->selection.filters[FILTER_MODE];

    for ( size_t i = 0; i < filter->count; i++ )
        if ( filter->values[i].low == XENOPROF_MODE_IDLE )
            return true;
    return false;
}

/* Whether it stands for the idle vCPUs: what is its own was idle. */
static bool is_idle(const struct node *node)
{
    return node->key.kind == LABEL_DOMAIN &&
           node->key.value == DOMAIN_INDEX_IDLE;
}

static struct amount idle_amount(const struct tree *tree)
{
    const struct node *root = tree_node(tree, NODE_ROOT);

    for ( uint32_t i = 0; i < root->count; i++ )
    {
        const struct node *node = tree_node(tree, tree_child(tree, root, i));

        if ( is_idle(node) )
            return node->self;
    }
    return (struct amount){0, 0};
}

struct amount flame_amount(const struct flame *flame, const struct node *node)
{
    struct amount amount = node->total;

    if ( node == tree_node(flame->tree, NODE_ROOT) || is_idle(node) )
    {
        amount.time -= flame->idle.time;
        amount.samples -= flame->idle.samples;
    }
    return amount;
}

static bool add_frame(struct flame *flame, const struct flame_frame *frame)
{
    if ( flame->count == flame->room )
    {
        size_t room = flame->room ? 2 * flame->room : 1024;
        struct flame_frame *frames = reallocarray(flame->frames, room,
                                                  sizeof(*frames));

        if ( !frames )
            return false;
        flame->frames = frames;
        flame->room = room;
    }
    flame->frames[flame->count++] = *frame;
    if ( frame->depth >= flame->rows )
        flame->rows = frame->depth + 1;
    return true;
}

/* Those of a node's children that are wide enough come onto the stack of what
 * is to be laid out, the last one first. */
static size_t push_children(struct flame *flame,
                            const struct flame_frame *frame,
                            struct flame_frame *waiting, size_t count)
{
    const struct node *node = tree_node(flame->tree, frame->node);
    uint64_t start = frame->start;
    size_t first = count;

    for ( uint32_t i = 0; i < node->count; i++ )
    {
        uint32_t child = tree_child(flame->tree, node, i);
        uint64_t length =
            flame_amount(flame, tree_node(flame->tree, child)).time;

        if ( length && length >= flame->least )
            waiting[count++] = (struct flame_frame){child, frame->depth + 1,
                                                    start, length};
        else if ( length )
        {
            flame->narrow++;
            flame->narrow_own += length;
        }
        start += length;
    }
    for ( size_t last = count; first + 1 < last; first++ )
    {
        struct flame_frame swapped = waiting[--last];

        waiting[last] = waiting[first];
        waiting[first] = swapped;
    }
    return count;
}

bool flame_build(struct flame *flame, const struct report *report,
                 const struct tree *tree, uint64_t part)
{
    struct flame_frame *waiting = calloc(tree->nodes.count, sizeof(*waiting));
    size_t count = 0;
    bool built = waiting;

    *flame = (struct flame){.tree = tree};
    if ( !idle_wanted(report) )
        flame->idle = idle_amount(tree);
    flame->total = flame_amount(flame, tree_node(tree, NODE_ROOT)).time;
    flame->least = flame->total / part;
    if ( built && flame->total )
        waiting[count++] = (struct flame_frame){NODE_ROOT, 0, 0, flame->total};
    while ( built && count )
    {
        struct flame_frame frame = waiting[--count];

        built = add_frame(flame, &frame);
        if ( built )
            count = push_children(flame, &frame, waiting, count);
    }
    free(waiting);
    return built;
}

void flame_free(struct flame *flame)
{
    free(flame->frames);
}
