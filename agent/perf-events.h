/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows all processes by perf software events, one for each processor.  There
 * are no samples and no context switches: a process that only runs costs
 * nothing.
 */
#ifndef XENOPROF_AGENT_PERF_EVENTS_H
#define XENOPROF_AGENT_PERF_EVENTS_H

#include "space-history.h"

struct perf_events;

/* Returns NULL, and errno, if the kernel forbids it (EACCES, EPERM) or
 * cannot. */
struct perf_events *perf_events_open(void);
/* Takes NULL. */
void perf_events_close(struct perf_events *events);

/*
 * Adds to the history all that happened before this call, in the order in which
 * it did.  Returns false if there was no memory: something is missing then.
 */
bool perf_events_read(struct perf_events *events,
                      struct space_history *history);
/* Has an epoll descriptor wake when a ring is half full.  Returns false, and
 * errno, if it cannot. */
bool perf_events_watch(const struct perf_events *events, int epoll);
/* Records that the kernel, or this process, had no room for, so far. */
uint64_t perf_events_lost(const struct perf_events *events);
/* The clock of all times, in nanoseconds. */
uint64_t perf_events_now(void);

#endif
