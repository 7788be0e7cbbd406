/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long vCPUs ran and waited, as formats with counters have it.
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_WAITS_H
#define XENOPROF_REPORT_EXPORT_EXPORT_WAITS_H

#include "report/waits/waits.h"

/* What the vCPUs of a domain did in a bin of time. */
struct export_wait_kind {
    const char *name, *what;
    uint64_t (*time)(const struct vcpu_times *times);
};

#define EXPORT_WAIT_KINDS 3u
extern const struct export_wait_kind export_wait_kinds[EXPORT_WAIT_KINDS];

#endif
