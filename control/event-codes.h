/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events, and how each processor is asked for them: those that have the same
 * name on all processors, AMD's instruction-based sampling (IBS), codes (rHEX),
 * and what libpfm has names for.
 */
#ifndef XENOPROF_CONTROL_EVENT_CODES_H
#define XENOPROF_CONTROL_EVENT_CODES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/failure.h"

struct event_spec;

enum processor_maker { MAKER_OTHER, MAKER_INTEL, MAKER_AMD };

struct processor {
    enum processor_maker maker;
    unsigned int family;
};

struct event_code {
    uint64_t select;    /* the event select register, with its modes */
    unsigned int fixed; /* fixed counter + 1; 0: any */
    unsigned int ibs;   /* enum xenoprof_ibs: no counter, but this unit */
    const char *unit;   /* what is counted, plural */
};

/* Returns the processor that this runs on; dom0 sees it as it is. */
struct processor processor_here(void);

/* Returns whether there is an event of that name on some processor: one of
 * those that have the same name on all, or a code. */
bool event_is_known(const char *base);

/* Returns whether what it counts can be read with RDPMC: all but IBS. */
bool event_is_readable(const char *base);

/* Finds how this processor is asked for an event.  Returns 0; or STATUS_USAGE,
 * there is no such event, or STATUS_RANGE, it cannot be counted; with why. */
int event_code_find(const struct processor *processor,
                    const struct event_spec *event, struct event_code *ret,
                    struct failure *failure);

/* Writes a line for each event: its name, its code or unit masks, what it is;
 * with a filter, of those that have it in their name or in what they are.
 * Returns how many. */
size_t event_codes_list(const struct processor *processor, const char *filter,
                        FILE *out);

#endif
