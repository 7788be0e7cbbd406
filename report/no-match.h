/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said where filters leave nothing to show: which of them did, and what
 * the session has instead.
 */
#ifndef XENOPROF_REPORT_NO_MATCH_H
#define XENOPROF_REPORT_NO_MATCH_H

#include "report/model/gather.h"

/* Whether the session has samples, and filters leave none, nor idle time. */
bool selection_is_empty(const struct loaded *loaded,
                        const struct selection *selection);

/* The failure of that, STATUS_NO_SYMBOL.  All cells are as before the filters
 * then. */
enum exit_status selection_fail_empty(struct loaded *loaded,
                                      const struct selection *selection,
                                      struct failure *failure);

/* Fails if nothing was sampled in the part of the time that an option names. */
enum exit_status part_expect(const struct loaded *loaded, const char *option,
                             const char *part, struct failure *failure);

#endif
