/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all programs do with an option that there is not: say so, and which one
 * it may have been meant to be.
 */
#ifndef XENOPROF_BASE_WRONG_OPTION_H
#define XENOPROF_BASE_WRONG_OPTION_H

#include <popt.h>

#include "failure.h"

/* Has -h print the help, too.  Returns the context. */
poptContext options_with_help(poptContext context);
/* The failure of an option that popt refused with code; the table is the one
 * that the context was made with.  Returns STATUS_USAGE. */
int fail_option(struct failure *failure, const char *program,
                poptContext context, const struct poptOption *table, int code);
/* The failure of a word that is not behind any option. */
int fail_stray_word(struct failure *failure, const char *program,
                    const char *word, const struct poptOption *table);

#endif
