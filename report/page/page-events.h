/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as the page has them: how many fell into each bin of time, from each
 * lane (a vCPU, what it had entered Xen for, who ran on it, and why Xen did),
 * at each node of the tree.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_EVENTS_H
#define XENOPROF_REPORT_PAGE_PAGE_EVENTS_H

#include "page-nodes.h"

#define LANE_NAMES_MOST 1000u /* guests choose names of threads */
#define LANE_NAMES_REST "(more)"
#define LANE_NO_ENTRY   "not known"

struct lane {
    struct {
        uint32_t domain; /* index into loaded.domains */
        uint32_t vcpu;   /* 0 for a domain without vCPUs of its own */
        uint32_t entry;  /* in page_events.entries; 0: not in Xen */
        uint32_t comm;   /* in page_events.comms; 0: not known */
        uint32_t reason; /* why Xen ran, 1 + enum xen_reason; 0: it did not */
    } key;
};

struct page_events {
    struct table lanes;   /* struct lane */
    struct names entries; /* why guests had entered Xen, without details */
    struct names comms;   /* of threads that ran */
    size_t count;         /* entries of nodes and counts */
    struct bytes runs;    /* bin (as difference), lane, how many entries */
    struct planes nodes;  /* marks before each, less the entry's before it */
    struct planes counts; /* samples less one */
};

/* Takes the samples that are not dropped, and at the root those that are, of
 * vCPUs that have others, if the page has owners of time; nodes->tree has ends,
 * and the timeline is sorted.  page_events_free() in any case. */
void page_events_build(struct page_events *events, const struct loaded *loaded,
                       const struct stacks *stacks,
                       const struct page_nodes *nodes);
void page_events_free(struct page_events *events);

#endif
