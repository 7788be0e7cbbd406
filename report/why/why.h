/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's time by reason, domain and function: what it ran for, whose it was, and
 * where it went.
 */
#ifndef XENOPROF_REPORT_WHY_WHY_H
#define XENOPROF_REPORT_WHY_WHY_H

#include "reasons.h"
#include "report/model/tree.h"

#define WHY_TOP 3u /* functions that a row names */

/* A function within a reason and domain. */
struct why_function {
    struct {
        uint32_t reason;
        uint32_t domain; /* index into loaded.domains */
        uint32_t frame;
        uint32_t zero;
    } key;
    struct amount amount;
};

struct why_row {
    struct {
        uint32_t reason;
        uint32_t domain;
    } key;
    struct amount amount;
    uint32_t rank; /* of its reason: an index of order[] */
    const struct why_function *top[WHY_TOP]; /* hottest first; then NULL */
};

struct why {
    struct table functions;         /* struct why_function */
    struct table rows;              /* struct why_row */
    const struct why_row **sorted;  /* reason by reason as below, then by
                                        time, largest first */
    enum xen_reason order[REASONS]; /* those that occur, by time */
    size_t reasons;                 /* of these */
    struct amount by_reason[REASONS];
    struct amount parts[REASONS][PARTS]; /* of these; [PART_none] is unused */
    struct amount xen;                   /* of all of them */
    struct amount known; /* of those that say something: reason_is_known() */
    struct amount shown; /* of all cells that are not dropped */
    uint64_t other;      /* ns of domains that are not profiled: Xen's part of
                            it is not known */
    uint64_t time_all;   /* of all cells */
};

/* Of the cells that are not dropped.  why_free() in any case. */
void why_build(struct why *why, const struct loaded *loaded,
               const struct stacks *stacks);
void why_free(struct why *why);

/* Returns the part that is half of a reason's time or more, or PART_none. */
enum xen_part why_most_of(const struct why *why, enum xen_reason reason);

#endif
