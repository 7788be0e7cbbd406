/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that xenopreport --export=perf wrote: a domain is a process, whose
 * number is its own and FIRST_PID, and its threads are called "DOMAIN/NAME".
 */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_OWN_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_OWN_H

#include "base/table.h"
#include "report/import/sink.h"

struct perf_own {
    struct table domains; /* by process */
};

void perf_own_init(struct perf_own *own);
void perf_own_free(struct perf_own *own);

/* Takes the name of a thread.  Returns it without its domain: a part of it, ""
 * if there is no more. */
const char *perf_own_name(struct perf_own *own, struct sink *sink, uint32_t pid,
                          const char *name);

/* Sets the number of a process's domain.  Returns false if it was not named. */
bool perf_own_domain(const struct perf_own *own, uint32_t pid, uint16_t *ret);

#endif
