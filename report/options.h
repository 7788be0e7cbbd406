/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line.
 */
#ifndef XENOPROF_REPORT_OPTIONS_H
#define XENOPROF_REPORT_OPTIONS_H

#include "base/failure.h"
#include "report/model/labels.h"
#include "options-annotate.h"
#include "options-diff.h"
#include "options-stacks.h"
#include "screen.h"
#include "report/model/select.h"
#include "views.h"

struct options {
    const struct view *view;
    char *output;         /* file to write; NULL: standard output */
    char *argument;       /* of the view, if it takes one */
    char *session;        /* name or path */
    char *base;           /* the same, of what it is compared with; or NULL */
    char *session_dir;    /* where names are looked for */
    char **guest_kernels; /* "DOM:FILE", ends with NULL; or NULL */
    struct label_list sort;
    bool sort_given;
    struct selection selection;
    struct stack_options stacks;
    struct diff_options diff;
    struct annotate_options annotate;
    double percent_limit;
    bool percent_limit_given;
    struct screen screen;
    size_t width; /* columns; 0: as wide as it takes */
    bool live;    /* instead of a report */
    bool no_header;
    bool no_summary;
    bool icicle;
};

/*
 * Read the command line.  *done is true if it asked only to be told
 * something (--help, --version, --list-fields), which has been done.
 * options_free() in any case.
 */
enum exit_status options_parse(struct options *options, int argc,
                               const char **argv, bool *done,
                               struct failure *failure);
void options_free(struct options *options);

#endif
