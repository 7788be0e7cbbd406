/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Linux says of processes in the records of perf events. */
#ifndef XENOPROF_AGENT_PERF_RECORD_H
#define XENOPROF_AGENT_PERF_RECORD_H

#include "space-history.h"

struct perf_event_attr;

/* Fills the attribute of an event whose records these functions read: software,
 * which counts nothing, for mappings of code, execs, forks and exits. */
void perf_record_attribute(struct perf_event_attr *ret);

/* A record is size bytes, as its head says.  Returns its time, of
 * CLOCK_MONOTONIC_RAW, or 0 if it has none. */
uint64_t perf_record_time(const void *record, size_t size);
/* Adds what the record says.  Returns how many records were lost before it. */
uint64_t perf_record_add(const void *record, size_t size,
                         struct space_history *history);

#endif
