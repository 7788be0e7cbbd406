/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains merged into a tree: below the root a level for each label that
 * groups samples (domain, say), below that frames.  Built in time linear in
 * cells and stacks; what is held grows with the distinct stacks.
 */
#ifndef XENOPROF_REPORT_MODEL_TREE_H
#define XENOPROF_REPORT_MODEL_TREE_H

#include "format.h"
#include "labels.h"
#include "stacks.h"

enum tree_order {
    TREE_CALLEES, /* from the root of stacks to their leaves */
    TREE_CALLERS, /* from leaves to roots */
};

/* Some cells, one after the other: indexes + 1; 0: none. */
struct cell_row {
    const uint32_t *next; /* by cell */
    uint32_t first;
    bool few; /* far fewer than there are chains */
};

/* How a tree is wanted. */
struct tree_plan {
    enum tree_order order;
    struct label_list groups; /* of these the levels below the root are */
    /* By frame number, or NULL: only stacks with such a frame, and from the
     * one nearest to the root on. */
    const bool *pivots;
    bool ends; /* tree.ends is wanted */
    bool bare; /* no level for what is not known, nor below the idle domain */
    bool shallow;                /* no frames */
    const struct cell_row *only; /* of these cells; NULL: of all */
};

/* Callees, domain by domain: what pages draw. */
extern const struct tree_plan tree_by_domain;
/* The same with a level below domains for each label of --sort that groups:
 * what pictures and folded lines draw. */
struct tree_plan tree_by_labels(const struct label_list *groups);

struct amount {
    uint64_t samples;
    uint64_t time; /* ns */
};

static inline struct amount cell_amount(const struct cell *cell)
{
    return (struct amount){cell->samples, cell->time};
}

/* What waits for names has time, and no samples. */
static inline bool amount_any(const struct amount *amount)
{
    return amount->samples || amount->time;
}

static inline void amount_add(struct amount *to, struct amount more)
{
    to->samples += more.samples;
    to->time += more.time;
}

#define NODE_FRAME ((uint32_t)LABELS)     /* kind of nodes that are frames */
#define NODE_ALL   ((uint32_t)LABELS + 1) /* kind of the root */
#define NODE_ROOT  0u                     /* its number; of all samples */

#define VALUE_NONE UINT32_MAX /* a label that is not known */

/* A tree may have millions of these. */
struct node {
    struct {
        uint32_t parent; /* number; the root's is its own */
        uint32_t kind;   /* NODE_FRAME, NODE_ALL, or the label that groups */
        uint32_t value;  /* number of the frame; node_value() of a label */
    } key;
    uint32_t end;        /* of its children, in tree.children: they begin where
                            those of the node before it end */
    struct amount total; /* of stacks that end here, and all below */
};

struct tree {
    struct table nodes; /* struct node; parents before their children */
    uint32_t *children; /* numbers of nodes; siblings lie together, by total
                            time and samples, largest first; absences, which
                            are no functions, behind all others */
    uint64_t time_all;  /* of all its cells, also those that are dropped */
    uint32_t *ends; /* by cell: the node at which it ends; NODE_ROOT: none */
    struct table joints; /* while it is built */
};

/* From the cells that are not dropped.  tree_free() in any case. */
void tree_build(struct tree *tree, const struct loaded *loaded,
                const struct stacks *stacks, const struct tree_plan *plan);
void tree_free(struct tree *tree);

static inline const struct node *tree_node(const struct tree *tree,
                                           uint32_t number)
{
    return table_at(&tree->nodes, number);
}

/* The value of a node that is a label's, as label_value() has it. */
static inline uint64_t node_value(const struct node *node)
{
    return node->key.value == VALUE_NONE ? LABEL_NONE : node->key.value;
}

/* Whether it is the idle domain. */
static inline bool node_is_idle(const struct node *node)
{
    return node->key.kind == LABEL_DOMAIN &&
           node_value(node) == DOMAIN_INDEX_IDLE;
}

/* Where its children begin in tree.children. */
static inline uint32_t tree_first(const struct tree *tree,
                                  const struct node *node)
{
    return node == tree_node(tree, NODE_ROOT) ? 0 : node[-1].end;
}

/* How many these are. */
static inline uint32_t tree_children(const struct tree *tree,
                                     const struct node *node)
{
    return node->end - tree_first(tree, node);
}

/* index < tree_children() */
static inline uint32_t tree_child(const struct tree *tree,
                                  const struct node *node, uint32_t index)
{
    return tree->children[tree_first(tree, node) + index];
}

/* Returns the amount of the stacks that end at a node.  It is what its children
 * do not have: trees have millions of nodes, and few of them are asked. */
struct amount tree_self(const struct tree *tree, const struct node *node);

/* Part of all pCPU time, in percent. */
static inline double tree_percent(const struct tree *tree, uint64_t time)
{
    return percent_of(time, tree->time_all);
}

#endif
