/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why HVM and PVH guests left the processor, and how long until they went on,
 * from what Xen traced: an exit has its code, the next entry ends it.
 *
 * Records name a pCPU and no vCPU: whose turn it is says whose exit it is.
 * Until a pCPU's first change of turns its exits are the pCPU's own; that one
 * says whose they were.
 */
#ifndef XENOPROF_TRACE_EXITS_H
#define XENOPROF_TRACE_EXITS_H

#include "base/table.h"
#include "turns.h"

/* The domain of what is a pCPU's own; its number is the vCPU's. */
#define EXITS_OF_PCPU 0xffffu

struct exit_sum {
    struct exit_key {
        struct traced_key who;
        uint32_t code;
        uint32_t kind; /* enum xenoprof_entry_kind */
    } key;
    uint64_t count;
    uint64_t in_xen, away;      /* ns: the vCPU had a pCPU, or had none */
    uint64_t shortest, longest; /* ns, in Xen */
    unsigned int asked;         /* how often its domain was not known */
};

struct exits {
    struct table vcpus; /* struct exited_vcpu */
    struct table sums;  /* struct exit_sum; count may be 0 */
    bool svm;           /* where records do not say it */
    uint64_t unpaired;  /* exits whose entry is not known */
    uint64_t left_out;  /* exits for which there was no more room */
};

/* Takes no memory yet. */
void exits_init(struct exits *exits, bool svm);
void exits_free(struct exits *exits);

/* Takes a change of states, before *turn of its pCPU is changed; or another
 * record, of any kind.  Each returns false if there is no memory. */
bool exits_change(struct exits *exits, const struct traced_change *change,
                  const struct turn *turn, uint16_t pcpu, uint64_t time);
bool exits_take(struct exits *exits, const struct trace_event *event,
                const struct turn *turn, uint64_t time);

/* This vCPU had this pCPU all the time, without a change.  Returns false if
 * there is no memory. */
bool exits_owned(struct exits *exits, uint16_t pcpu, struct traced_key who);

/* Records were lost: exits without an entry stay so. */
void exits_forget(struct exits *exits);

/* Sums that were said have no count any more: they are dropped. */
void exits_reported(struct exits *exits);

#endif
