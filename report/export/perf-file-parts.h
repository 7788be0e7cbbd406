/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf.data has around its records: attributes of events before them, and
 * features behind them, which say of what host it is, and of what events.
 */
#ifndef XENOPROF_REPORT_EXPORT_PERF_FILE_PARTS_H
#define XENOPROF_REPORT_EXPORT_PERF_FILE_PARTS_H

#include "export-walk.h"

#include "base/buffer.h"
#include "perf-file.h"

/* An event for each type of samples that the session has; its id is the
 * type's number and 1. */
struct perf_types {
    uint32_t type[XENOPROF_TYPES_MAX];
    uint32_t count;
};

void perf_types_find(struct perf_types *events, const struct types *types);

/* Puts all that is before records of so many bytes. */
void perf_put_header(struct buffer *out, const struct export_walk *walk,
                     const struct perf_types *events, uint64_t data_size);
/* Puts all that is behind records that end at so many bytes of the file. */
void perf_put_features(struct buffer *out, const struct export_walk *walk,
                       const struct perf_types *events, uint64_t at);
/* Returns how many bytes are before records. */
uint64_t perf_header_size(const struct perf_types *events);

#endif
