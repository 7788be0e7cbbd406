/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that are about code.
 */
#ifndef XENOPROF_REPORT_OPTIONS_ANNOTATE_H
#define XENOPROF_REPORT_OPTIONS_ANNOTATE_H

#include "base/failure.h"

#include <popt.h>

struct annotate_options {
    char **code; /* "WHAT:FILE", ends with NULL; or NULL */
};

/* To be included in the table of all options. */
extern const struct poptOption annotate_option_table[];

/* Take what popt has read; annotate_options_free() in any case. */
enum exit_status annotate_options_take(struct annotate_options *options,
                                       struct failure *failure);
void annotate_options_free(void);

#endif
