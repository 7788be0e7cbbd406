/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a perf.data, one after the other, unpacked if perf packed them
 * (perf record -z). */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_STREAM_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_STREAM_H

#include "perf-format.h"

struct perf_record {
    uint32_t type;
    uint16_t misc;
    struct cursor body; /* without its header; good until the next call */
};

struct perf_stream;

/* Records are from here on in the file, so many bytes of them (UINT64_MAX: up
 * to its end).  fd stays the caller's. */
struct perf_stream *perf_stream_open(int fd, uint64_t offset, uint64_t size);
/* Takes NULL. */
void perf_stream_close(struct perf_stream *stream);

/* Returns whether there is another record.  If not, *wrong is NULL at the end,
 * or says what is wrong at perf_stream_offset(). */
bool perf_stream_next(struct perf_stream *stream, struct perf_record *ret,
                      const char **wrong);
/* Where the last record of the file began. */
uint64_t perf_stream_offset(const struct perf_stream *stream);
/* Whether the file ended within a record, as one does when perf or its host
 * died. */
bool perf_stream_cut(const struct perf_stream *stream);

#endif
