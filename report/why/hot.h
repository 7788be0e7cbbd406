/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that took most, each once, whatever the domain.
 */
#ifndef XENOPROF_REPORT_WHY_HOT_H
#define XENOPROF_REPORT_WHY_HOT_H

#include "report/model/stacks.h"
#include "report/model/tree.h"

struct hot_row {
    struct {
        uint32_t frame; /* in stacks.frames */
        uint32_t zero;
    } key;
    struct amount amount;
};

struct hot {
    struct table rows;             /* struct hot_row */
    const struct hot_row **sorted; /* by time, largest first */
    uint64_t time_all;             /* of all cells */
};

/* Of the cells that are not dropped, without idle time and what is not
 * profiled.  hot_free() in any case. */
void hot_build(struct hot *hot, const struct loaded *loaded,
               const struct stacks *stacks);
void hot_free(struct hot *hot);

#endif
