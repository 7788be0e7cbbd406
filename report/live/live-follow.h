/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session that is read while its daemon still writes it.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_FOLLOW_H
#define XENOPROF_REPORT_LIVE_LIVE_FOLLOW_H

#include "live-window.h"
#include "report/model/load-items.h"
#include "report/model/query.h"

struct live_cost {
    uint64_t time; /* Xen's */
    uint64_t cost; /* ns that the profiler has taken in Xen by then */
};

struct live_follow {
    struct xenoprof_handle *handle;
    struct xenoprof_session *session;
    char *path;
    struct loaded loaded;
    struct kernels kernels;
    struct load_wanted wanted;
    struct late_thunks late;
    bool open; /* addresses of processes are told apart */
    struct loader loader;
    struct live_window window;
    struct account_rows rows;             /* of what was taken */
    struct live_cost costs[LIVE_SECONDS]; /* the last, oldest first */
    size_t cost_count;
    size_t named; /* cells that have their names, from the first */
};

/* Open the session of that name or path.  live_follow_close() in any case. */
enum exit_status live_follow_open(struct live_follow *follow,
                                  const struct query *query,
                                  const char *session, struct failure *failure);
/* Take in what was added since.  *added: whether anything was. */
enum exit_status live_follow_read(struct live_follow *follow, bool *added,
                                  struct failure *failure);
void live_follow_close(struct live_follow *follow);

/* Returns what the profiler itself took of all pCPUs in the last seconds (0:
 * since the start), in percent, or a negative number if that is not known. */
double live_follow_cost(const struct live_follow *follow, unsigned int seconds);

#endif
