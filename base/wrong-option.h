/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all programs do with --help, and with an option that there is not: say
 * so, and which one it may have been meant to be.
 */
#ifndef XENOPROF_BASE_WRONG_OPTION_H
#define XENOPROF_BASE_WRONG_OPTION_H

#include <popt.h>
#include <stdbool.h>

#include "failure.h"

/* The row of a program's table for --help and --usage.  popt's own would end
 * the program with status 0, also where nothing could be written. */
#define OPTIONS_HELP                                                           \
    {                                                                          \
        NULL,                                                                  \
        0,                                                                     \
        POPT_ARG_INCLUDE_TABLE,                                                \
        (void *)options_help,                                                  \
        0,                                                                     \
        "Help options:",                                                       \
        NULL},
extern const struct poptOption options_help[];

/* Has -h print the help, too.  Returns the context. */
poptContext options_with_help(poptContext context);
/* Returns whether code, which poptGetNextOpt() returned, was --help or --usage:
 * then that is printed, --help with first before it. */
bool options_printed(poptContext context, int code, const char *first);
/* Returns 0 if all that was printed is written; else STATUS_OUTPUT. */
int options_print_end(struct failure *failure);
/* The failure of an option that popt refused with code; the table is the one
 * that the context was made with.  Returns STATUS_USAGE. */
int fail_option(struct failure *failure, const char *program,
                poptContext context, const struct poptOption *table, int code);
/* The failure of a word that is not behind any option. */
int fail_stray_word(struct failure *failure, const char *program,
                    const char *word, const struct poptOption *table);

#endif
