/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as the page has them: how many fell into which bin of time, from
 * which vCPU (a lane), at which node of the tree.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_EVENTS_H
#define XENOPROF_REPORT_PAGE_PAGE_EVENTS_H

#include "page-nodes.h"

struct lane {
    struct {
        uint32_t domain; /* index into loaded.domains */
        uint32_t vcpu;   /* 0 where the domain has only the whole */
    } key;
};

struct page_events {
    struct table lanes;  /* struct lane */
    size_t count;        /* entries of nodes and counts */
    struct bytes runs;   /* bin (from the one before), lane, how many entries */
    struct bytes nodes;  /* in a run each from the one before it */
    struct bytes counts; /* samples less one */
};

/* Of the samples that are not dropped.  False if there is no memory;
 * page_events_free() in any case. */
bool page_events_build(struct page_events *events, const struct loaded *loaded,
                       const struct stacks *stacks,
                       const struct page_nodes *nodes);
void page_events_free(struct page_events *events);

#endif
