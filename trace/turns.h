/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is on each pCPU, from the changes of vCPUs' states that Xen
 * traced: a change is traced by the pCPU that a vCPU leaves, or gets.
 */
#ifndef XENOPROF_TRACE_TURNS_H
#define XENOPROF_TRACE_TURNS_H

#include <stdbool.h>

#include "base/vector.h"
#include "trace-event.h"

struct traced_key {
    uint16_t domain, vcpu;
};

/* As in Xen's public interface (xen/vcpu.h). */
enum runstate {
    RUNSTATE_RUNS,
    RUNSTATE_WAITS, /* it could run */
    RUNSTATE_SLEEPS,
    RUNSTATE_IS_OFFLINE,
    RUNSTATES,
    RUNSTATE_UNKNOWN = RUNSTATES
};

/* What a record says, if it is of such a change. */
struct traced_change {
    struct traced_key who;
    enum runstate old, new;
};

/* Returns false if the record is of something else. */
bool turns_change(const struct trace_event *event, struct traced_change *ret);

/* A pCPU's. */
struct turn {
    struct traced_key now, before; /* who has it, and who had it last */
    bool now_known, before_known;
    bool preempts; /* who had it last could go on; its next one says why not */
};

struct turns {
    VECTOR(struct turn);
};

/* All zeroes is nobody known. */
void turns_free(struct turns *turns);

/* Returns a pCPU's turn, or NULL if there is no memory. */
struct turn *turns_of(struct turns *turns, uint16_t pcpu);

/* Takes a change that this pCPU traced; whose turn it was before is what *turn
 * still says.  */
void turns_take(struct turn *turn, const struct traced_change *change);

static inline bool traced_same(struct traced_key a, struct traced_key b)
{
    return a.domain == b.domain && a.vcpu == b.vcpu;
}

#endif
