/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forms of report.  A form is one file and one row in view_table; the first
 * is what is shown when none is asked for.
 */
#ifndef XENOPROF_REPORT_VIEWS_H
#define XENOPROF_REPORT_VIEWS_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct options;
struct loaded;
struct stacks;

struct report {
    const struct options *options;
    const struct loaded *loaded;
    const struct stacks *stacks; /* empty if nothing needs them */
    const char *name;            /* of the session */
    const struct report *base;   /* --diff: what it is compared with */
};

struct view {
    const char *option; /* --option; NULL for the first */
    const char *what;   /* in --help */
    /* False if there is no memory; writing errors are seen at file. */
    bool (*print)(const struct report *report, FILE *file);
    /* The same of what differs from report.base to report; NULL: it cannot. */
    bool (*compare)(const struct report *report, FILE *file);
    bool stacks;  /* it needs report.stacks */
    bool times;   /* it needs loaded.timeline */
    bool to_file; /* --option=FILE: that is written, not standard output */
    const char *argument; /* --option=ARGUMENT goes into options.argument */
    /* What must be so before anything is written; NULL: nothing. */
    enum exit_status (*expect)(const struct report *report,
                               struct failure *failure);
};

enum { VIEWS = 10 };
extern const struct view view_table[VIEWS];

bool view_flat(const struct report *report, FILE *file);
bool view_flamegraph(const struct report *report, FILE *file);
bool view_callgraph(const struct report *report, FILE *file);
bool view_callers(const struct report *report, FILE *file);
bool view_children(const struct report *report, FILE *file);
bool view_symbol(const struct report *report, FILE *file);
enum exit_status expect_symbol(const struct report *report,
                               struct failure *failure);
bool view_annotate(const struct report *report, FILE *file);
enum exit_status expect_annotate(const struct report *report,
                                 struct failure *failure);
bool view_diff(const struct report *report, FILE *file);
bool view_diff_callgraph(const struct report *report, FILE *file);
bool view_diff_callers(const struct report *report, FILE *file);
bool view_diff_flamegraph(const struct report *report, FILE *file);
bool view_diff_html(const struct report *report, FILE *file);
bool view_diff_json(const struct report *report, FILE *file);
bool view_folded(const struct report *report, FILE *file);
bool view_html(const struct report *report, FILE *file);
bool view_json(const struct report *report, FILE *file);

#endif
