/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The callers of a process's code from its registers and a copy of its stack,
 * by the unwind rows of what it has mapped (rows/). */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_UNWIND_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_UNWIND_H

#include "perf-files.h"
#include "perf-sample.h"
#include "perf-space.h"
#include "rows/user-walk.h"

struct perf_unwinder;

/* files stays the caller's. */
struct perf_unwinder *perf_unwinder_open(struct perf_files *files);
/* Takes NULL. */
void perf_unwinder_close(struct perf_unwinder *unwinder);

/* Returns false if the sample has not what a walk begins with, or nothing is
 * mapped. */
bool perf_unwind(struct perf_unwinder *unwinder, const struct perf_space *space,
                 const struct perf_data_sample *sample, struct user_chain *ret);

#endif
