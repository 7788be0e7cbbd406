/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that are about call chains.
 */
#ifndef XENOPROF_REPORT_OPTIONS_STACKS_H
#define XENOPROF_REPORT_OPTIONS_STACKS_H

#include "base/failure.h"
#include "report/model/focus.h"
#include "report/model/labels.h"

#include <popt.h>

struct stack_options {
    struct focus focus;
    size_t max_depth; /* frames below a group; 0: all */
    bool in_rows;     /* --stacks: JSON's rows have their chains */
};

/* To be included in the table of all options. */
extern const struct poptOption stack_option_table[];

/* Take what popt has read; stack_options_free() in any case. */
enum exit_status stack_options_take(struct stack_options *options,
                                    struct failure *failure);
void stack_options_free(struct stack_options *options);

/* What --sort means to a tree: labels that are no part of a frame group its
 * stacks (the domain, if there is no --sort). */
struct label_list stack_groups(const struct label_list *sort, bool given);
/* The others say what a frame is. */
enum frame_detail stack_detail(const struct label_list *sort);

#endif
