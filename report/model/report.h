/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forms of report (views), and what a view is given.  A view is a file that
 * defines a struct view, and a row in report/views.h.
 */
#ifndef XENOPROF_REPORT_MODEL_REPORT_H
#define XENOPROF_REPORT_MODEL_REPORT_H

#include "query.h"
#include "sessions.h"
#include "stacks.h"

#include <stdio.h>

struct layout; /* report/text/layout.h */

/* Options that matter to single views. */
struct view_options {
    char *argument;      /* --symbol=NAME, --annotate=SYMBOL */
    char **code;         /* --code: "WHAT:FILE", ends with NULL; or NULL */
    bool stacks_in_rows; /* --json --stacks */
    bool samples;        /* --json --samples */
    bool icicle;         /* --flamegraph --icicle */
};

struct report {
    const struct query *query;
    const struct layout *layout;
    const struct view_options *options;
    const struct loaded *loaded;
    const struct stacks *stacks; /* empty if nothing needs them */
    const char *name;            /* of the session */
    const char *path;            /* of it */
    enum session_life state;
    const struct report *base; /* --diff: the session before */
    const char *part; /* --diff: of its time, as --before or --after has it;
                         NULL: all */
};

struct view {
    const char *option; /* --option; NULL for the first view, and for --diff */
    const char *what;   /* in --help */
    /* The caller looks for write errors at file. */
    void (*print)(const struct report *report, FILE *file);
    /* The same for --json beside it; NULL: they cannot be combined. */
    void (*print_json)(const struct report *report, FILE *file);
    bool stacks;                      /* it needs report.stacks */
    const struct prune_rules *pruned; /* what of these; NULL: all */
    const struct prune_rules *small;  /* what of those of domains that it sums
                                        up, being below the limit; NULL: all */
    bool once;              /* functions are there once, whatever the domain,
                             unless --sort asks for domains */
    bool addresses;         /* it needs cells by address, also with stacks */
    bool frames_by_address; /* and frames */
    bool code;              /* it shows the session's own code */
    bool lines;             /* frames are told apart by line of source */
    bool times;             /* it needs loaded.timeline */
    bool log;               /* it needs loaded.log */
    bool waits;             /* it needs loaded.waits.vcpu_bins */
    bool accounts;          /* it shows Xen's accounts, not samples */
    bool who;               /* it needs cells by entry, and by name of thread */
    bool labels;            /* it needs cells by all labels, and of all types */
    bool one_type;          /* but only of the type that is shown */
    bool to_file;           /* --option=FILE, instead of standard output */
    bool bytes;             /* what it prints is not text */
    bool gzip;              /* and is compressed, whatever the file is called */
    const char *opens;      /* what is done with the file; NULL: a browser opens
                             it */
    const char *argument;   /* --option=ARGUMENT, for view_options.argument */
    bool argument_optional;
    /* Checked before anything is written; NULL: nothing to check. */
    enum exit_status (*expect)(const struct report *report,
                               struct failure *failure);
};

/* Sets what a view needs of a session. */
void report_needs(struct query *query, const struct view *view);

#endif
