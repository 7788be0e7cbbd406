/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each vCPU did, from the changes of its state that Xen traced: how long
 * it was in each state.
 *
 * Times are those of the records, in ns, in the order of the records.  Where
 * records were lost nothing is known of any vCPU until its next one: such time
 * is in no sum.
 */
#ifndef XENOPROF_TRACE_RUNSTATES_H
#define XENOPROF_TRACE_RUNSTATES_H

#include <stdbool.h>

#include "base/table.h"
#include "turns.h"

struct traced_vcpu {
    struct traced_key key;
    uint8_t state;  /* enum runstate */
    bool guessed;   /* no record said its state yet */
    uint64_t since; /* times[] has all before */
    uint64_t times[RUNSTATES];
};

struct runstates {
    struct table vcpus; /* struct traced_vcpu */
    uint64_t lost;      /* records */
    uint64_t missed;    /* changes that cannot follow what was before */
};

void runstates_init(struct runstates *runstates);
void runstates_free(struct runstates *runstates);

/* It seems to have been in this state since that time, when tracing began.  Its
 * records know better, before and after.  Returns false if there is no memory.
 */
bool runstates_guess(struct runstates *runstates, uint16_t domain,
                     uint16_t vcpu, enum runstate state, uint64_t time);

/* Takes a record, of any kind, of that time.  Returns false if there is no
 * memory. */
bool runstates_take(struct runstates *runstates,
                    const struct trace_event *event, uint64_t time);

/* Brings times[] up to that time: no record before it is to come. */
void runstates_until(struct runstates *runstates, uint64_t time);

/* Sets a vCPU's sums to nothing. */
void runstates_begin_again(struct traced_vcpu *vcpu);

#endif
