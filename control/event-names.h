/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that libpfm has names for: event-names-pfm.c, or in a build without it
 * event-names-none.c, where there are none.
 */
#ifndef XENOPROF_CONTROL_EVENT_NAMES_H
#define XENOPROF_CONTROL_EVENT_NAMES_H

#include <stdint.h>
#include <stdio.h>

#include "base/failure.h"

struct event_spec;

/* Finds, with libpfm, the value of an event select register that counts this
 * event in its modes.  Returns 0; or STATUS_USAGE if there is no such event on
 * this processor, or it has no such unit mask; or STATUS_RANGE if it is not one
 * that a single counter of a core counts. */
int event_names_find(const struct event_spec *event, uint64_t *ret,
                     struct failure *failure);

/* Writes a line for each event of this processor, or with a filter for those
 * that have it in their name or description, with their unit masks.  Returns
 * how many. */
size_t event_names_list(const char *filter, FILE *out);

/* Returns the end of a sentence about an event that was not found, what to do,
 * which begins with "; ", or "". */
const char *event_names_hint(void);

#endif
