/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session that is still being recorded, read as it grows.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_FOLLOW_H
#define XENOPROF_REPORT_LIVE_LIVE_FOLLOW_H

#include "live-window.h"
#include "report/model/load-items.h"
#include "report/model/query.h"

struct live_cost {
    uint64_t time; /* Xen's */
    uint64_t cost; /* ns that the profiler took in Xen until then */
};

struct live_follow {
    struct xenoprof_handle *handle;
    struct xenoprof_session *session;
    char *path;
    struct loaded loaded;
    struct kernels kernels;
    struct loader loader;
    struct live_window window;
    struct live_cost costs[LIVE_SECONDS]; /* the last ones, oldest first */
    size_t cost_count;
    size_t named; /* cells that have their names */
};

/* Opens the session of that name or path.  live_follow_close() in any case. */
enum exit_status live_follow_open(struct live_follow *follow,
                                  const struct query *query,
                                  const char *session, struct failure *failure);
/* Take in what was added since.  *news says whether there was any. */
enum exit_status live_follow_read(struct live_follow *follow, bool *news,
                                  struct failure *failure);
void live_follow_close(struct live_follow *follow);

/* What the profiler itself took of all pCPUs in the last seconds (0: from the
 * start on), in percent; negative if that is not known. */
double live_follow_cost(const struct live_follow *follow, unsigned int seconds);

#endif
