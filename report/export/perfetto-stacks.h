/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of --export=perfetto: functions, frames and stacks are put once, and
 * named by their numbers.
 */
#ifndef XENOPROF_REPORT_EXPORT_PERFETTO_STACKS_H
#define XENOPROF_REPORT_EXPORT_PERFETTO_STACKS_H

#include "base/names.h"
#include "perfetto-tracks.h"

struct perfetto_stacks {
    const struct export_walk *walk;
    struct perfetto_out *out;
    struct names images, sources; /* by the numbers that the trace has */
    bool *put;                    /* which of the walk's stacks were */
    struct {
        VECTOR(uint32_t);
    } path; /* frames of a stack, from the root */
};

/* perfetto_stacks_free() in any case; walk and out are the caller's. */
void perfetto_stacks_init(struct perfetto_stacks *stacks,
                          const struct export_walk *walk,
                          struct perfetto_out *out);
void perfetto_stacks_free(struct perfetto_stacks *stacks);

/* Puts all functions and frames, before any stack. */
void perfetto_put_frames(struct perfetto_stacks *stacks);
/* Puts a stack into the packet of the first sample that has it; its number is
 * the walk's and 1. */
void perfetto_put_stack(struct perfetto_stacks *stacks, uint32_t stack);

#endif
