/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last seconds of a session that grows: what each second added to its cells
 * and to its pCPUs' account.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_WINDOW_H
#define XENOPROF_REPORT_LIVE_LIVE_WINDOW_H

#include "report/model/loaded.h"
#include "report/time/account-rows.h"

#define LIVE_SECONDS 60u /* the longest window */

/* One second of Xen's time; or all of it, as one. */
struct live_slice {
    uint64_t second;
    struct table cells; /* what was added to each, by owner of time */
    struct table pcpus; /* the same, by its number */
    struct waits waits;
};

struct live_window {
    struct live_slice slices[LIVE_SECONDS]; /* by second, modulo */
    struct live_slice all;
    uint64_t last; /* the newest second */
};

/* The values of a loaded session while it shows a window. */
struct live_saved {
    struct cell *cells;
    size_t cell_count;
};

void live_window_init(struct live_window *window);
void live_window_free(struct live_window *window);

/* Add at a time of Xen's; times before the longest window are ignored. */
void live_window_sample(struct live_window *window, uint64_t time,
                        uint32_t cell, uint32_t owner, uint64_t ticks);
/* What a pCPU did; a part for each second of it. */
void live_window_idle(struct live_window *window, uint32_t pcpu,
                      const struct idle_row *row);

/* The same with what a vCPU did until time; a part for each second of it. */
void live_window_wait(struct live_window *window, uint64_t time,
                      const struct xenoprof_waited *waited);
/* Returns what a domain's vCPUs did in the last seconds; span 0: nothing is
 * known. */
struct vcpu_times live_window_waits(const struct live_window *window,
                                    unsigned int seconds,
                                    const struct loaded_domain *domain);

/*
 * Reduce a loaded session to its last seconds (0: to all of it), and account
 * for their time, until live_window_leave().
 */
void live_window_enter(const struct live_window *window, unsigned int seconds,
                       struct loaded *loaded, struct live_saved *saved);
void live_window_leave(struct loaded *loaded, struct live_saved *saved);

#endif
