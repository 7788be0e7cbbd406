/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a perf.data says of its host and of itself. */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_FEATURES_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_FEATURES_H

#include "perf-files.h"
#include "perf-kernel.h"
#include "perf-sample.h"

/* NULL or 0: not said. */
struct perf_about {
    char *host, *command;
    uint32_t pcpus;
    bool own;             /* xenopreport --export=perf wrote it: perf-own.h */
    uint64_t utc, utc_at; /* ns since 1970, when perf's clock was that */
};

void perf_about_free(struct perf_about *about);

/* Where features go. */
struct perf_knowledge {
    struct perf_about *about;
    struct perf_data_events *events;
    struct perf_files *files;
    struct perf_kernel *kernel;
};

/* Takes a feature, or what is sound of it. */
void perf_feature_take(const struct perf_knowledge *to, uint64_t feature,
                       struct cursor bytes);
/* Takes a build-id, as a feature has many and a pipe has records of; misc is
 * its header's. */
void perf_build_id_take(const struct perf_knowledge *to, uint16_t misc,
                        struct cursor body);

#endif
