/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frames --symbol=PATTERN means.
 */
#ifndef XENOPROF_REPORT_MODEL_SYMBOL_PIVOTS_H
#define XENOPROF_REPORT_MODEL_SYMBOL_PIVOTS_H

#include "stacks.h"

/* Returns by frame number whether it is meant, malloc'ed; *any: one is.  The
 * pattern is one of file names, for a symbol, an area or an address. */
bool *symbol_pivots(const struct loaded *loaded, const struct stacks *stacks,
                    const char *pattern, bool *any);
/* Returns a pattern that means the function of this frame, malloc'ed, or NULL
 * if none can: nothing is known of it. */
char *symbol_pattern(const struct loaded *loaded, const struct frame *frame);

#endif
