/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of calls as an outline.
 */
#ifndef XENOPROF_REPORT_TEXT_CALLS_H
#define XENOPROF_REPORT_TEXT_CALLS_H

#include "report/model/frame-text.h"
#include "report/cells/tree-turns.h"
#include "report/model/report.h"
#include "outline.h"

#include <stdio.h>

/* All that a tree of calls is printed from. */
struct calls {
    const struct report *report;
    struct frame_texts texts;
    struct tree tree;        /* all of it, or: */
    bool in_turns;           /* its parts are made when they are printed: */
    struct tree_turns turns; /* of what groups these are */
    enum tree_order order;
    char **names; /* of frames, by number, once they are needed */
};

/* By what the options say; pivots as in tree.h, and with them calls->tree is
 * whole.  calls_free() in any case. */
void calls_init(struct calls *calls, const struct report *report,
                enum tree_order order, const bool *pivots);
/* The same, and the tree is whole in any case. */
void calls_init_whole(struct calls *calls, const struct report *report,
                      enum tree_order order, const bool *pivots);
void calls_free(struct calls *calls);

/* Header, title, tree and end: a report of nothing else. */
void calls_report(const struct report *report, enum tree_order order,
                  const char *title, FILE *file);

/* Title and tree. */
void calls_print(const struct calls *calls, const char *title, FILE *file);

/* What calls_print() walks on, of a tree that is whole.  What is left out is
 * added to rest. */
struct outline calls_outline(const struct calls *calls,
                             struct outline_rest *rest, FILE *file);
/* What stands above the tree. */
void calls_title(const struct calls *calls, const char *title, FILE *file);

/* The session's facts and losses, as above a table. */
void calls_header(const struct calls *calls, FILE *file);
/* Who waited, and how sure it is. */
void calls_end(const struct calls *calls, FILE *file);

#endif
