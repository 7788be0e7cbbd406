/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sets of events that --event names, each a text that is kept as given:
 * event-spec.h reads it.  Those of one set are counted at the same time.
 */
#ifndef XENOPROF_CONTROL_EVENT_SETS_H
#define XENOPROF_CONTROL_EVENT_SETS_H

#include "domain-pairs.h"
#include "base/failure.h"

/* Adds a set: events with commas between them.  Returns 0, STATUS_USAGE or
 * STATUS_RANGE. */
int event_sets_add(struct domain_pairs *sets, const char *option,
                   const char *text, struct failure *failure);

#endif
