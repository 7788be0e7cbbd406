/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is worth to be looked at first: what a guest makes Xen do for it that it
 * could do without, and locks for which its vCPUs spin.
 */
#ifndef XENOPROF_REPORT_WHY_FINDINGS_H
#define XENOPROF_REPORT_WHY_FINDINGS_H

#include "why.h"

#define FINDINGS_MOST 3u
#define FINDING_LEAST 2.0 /* percent of all pCPU time; less is not worth it */

/* What a function of a guest's kernel is by its name.  A guest may lie in
 * names, about itself. */
enum lock_role { ROLE_NONE, ROLE_TAKE, ROLE_SPIN, ROLE_INTERRUPT };

enum lock_role lock_role(const char *symbol);
/* The same of what is on stacks: nothing but a kernel's functions have one. */
enum lock_role lock_role_of(const struct loaded *loaded,
                            const struct frame *frame);

/* Whether a function of Xen's takes one of its own locks. */
bool is_lock_of_xen(const char *symbol);

struct why_finding {
    struct {
        uint32_t domain; /* index into loaded.domains */
        uint32_t reason; /* enum xen_reason, with an advice for guests; */
    } key;               /* REASON_none: its kernel spins for locks */
    struct amount amount;
    uint32_t caller; /* frame: the guest's function that it was most for, in
                        whose call Xen ran, or that wants the lock; FRAME_NONE:
                        not known */
    uint64_t caller_time;
};

struct findings {
    struct table all;             /* struct why_finding; also small ones */
    struct table callers;         /* while it is built */
    struct chain_reason *reasons; /* of each chain: reasons_find() */
    /* By time, largest first. */
    const struct why_finding *found[FINDINGS_MOST];
    size_t count;      /* of these */
    uint64_t time_all; /* of all cells */
};

/* Whether a domain, by its index, can do without Xen: dom0 cannot, whatever it
 * is told. */
bool findings_of_guest(const struct loaded *loaded, uint32_t domain);

/* Of the cells that are not dropped.  findings_free() in any case. */
void findings_build(struct findings *findings, const struct loaded *loaded,
                    const struct stacks *stacks);
void findings_free(struct findings *findings);

#endif
