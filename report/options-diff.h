/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that are about comparing two sessions.
 */
#ifndef XENOPROF_REPORT_OPTIONS_DIFF_H
#define XENOPROF_REPORT_OPTIONS_DIFF_H

#include "base/failure.h"
#include "report/model/diff.h"

#include <popt.h>

struct diff_options {
    bool wanted;
    enum normalize normalize;
};

/* To be included in the table of all options. */
extern const struct poptOption diff_option_table[];

/* Take what popt has read, and free it. */
enum exit_status diff_options_take(struct diff_options *options,
                                   struct failure *failure);

#endif
