/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sessions compared: rows of a table, and a tree of calls.  What is alike
 * is found by name, since numbers of domains, addresses of kernels and the
 * order of things differ from one session to the next.
 *
 * Side 0 is what was before, side 1 what came after.
 */
#ifndef XENOPROF_REPORT_MODEL_DIFF_H
#define XENOPROF_REPORT_MODEL_DIFF_H

#include "frame-text.h"
#include "noise.h"
#include "tree.h"
#include "report.h"

/* What shares are shares of. */
struct diff_whole {
    uint64_t samples; /* that are shown */
    uint64_t time;    /* of all cells, ns */
    double looks;     /* how many samples the whole would have had, as good as
                         those that there are: report/time/sampling.h */
};

/* What both sides call something by. */
struct diff_names {
    struct names texts;
    struct table frames; /* struct diff_frame */
};

/* A frame of either side; texts are in diff_names.texts. */
struct diff_frame {
    struct {
        uint64_t address; /* if symbol is unknown; else 0 */
        uint32_t image;
        uint32_t symbol;
        uint32_t path, line;
        uint32_t comm;
        uint8_t kind, mode, area;
        uint8_t zero;
    } key;
    uint32_t text; /* as frame_text() has it on one of the sides */
};

struct diff_node {
    struct {
        uint32_t parent; /* number; the root's is its own */
        uint32_t kind;   /* as in struct node */
        uint64_t value;  /* number of a diff_frame; else of a text */
    } key;
    struct amount self[2];
    struct amount total[2];
    struct change change; /* of total */
    double swing;         /* largest change of total here or below */
    uint32_t first;       /* child, in diff_tree.children */
    uint32_t count;       /* of children */
};

struct diff_tree {
    struct diff_names names;
    struct diff_whole whole[2];
    enum normalize normalize;
    struct table nodes; /* struct diff_node; parents before their children */
    uint32_t *children; /* siblings lie together, by swing, largest first */
    size_t beyond;      /* nodes that are beyond noise */
};

/* The share that an amount is of its side's whole, 0 to 1. */
double diff_share(const struct diff_whole *whole, enum normalize normalize,
                  const struct amount *amount);
/* Whether one amount has become another, by samples: as many of all looks as
 * its share says. */
void diff_test(const struct diff_whole whole[2], enum normalize normalize,
               const struct amount amount[2], struct change *ret);
/* Sum up the cells of a session. */
struct diff_whole diff_whole(const struct loaded *loaded);

/* report.base is before, report after; both with stacks.  Groups are texts.
 * diff_tree_free() in any case. */
void diff_tree_build(struct diff_tree *diff, const struct report *report,
                     const struct tree_plan *plan, enum normalize normalize);
void diff_tree_free(struct diff_tree *diff);

static inline const struct diff_node *diff_tree_node(
    const struct diff_tree *diff, uint32_t number)
{
    return table_at(&diff->nodes, number);
}

static inline const struct diff_frame *diff_tree_frame(
    const struct diff_tree *diff, uint64_t number)
{
    return table_at(&diff->names.frames, number);
}

void diff_names_init(struct diff_names *names);
void diff_names_free(struct diff_names *names);

/* The number of a side's frame among both sides'. */
void diff_names_frame(struct diff_names *names, const struct frame_texts *texts,
                      uint32_t frame, uint32_t *ret);

/* The number of what a label's value is called.  A domain goes by its name
 * alone if it has one: the number is another at each start. */
void diff_names_label(struct diff_names *names, const struct loaded *loaded,
                      enum label label, uint64_t value, uint32_t *ret);

#endif
