/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a perf.data, from a file or from a pipe, in the order of its times, and
 * knows of each time which threads there are and what processes have mapped.
 * What becomes of samples is its user's.
 */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_READER_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_READER_H

#include "base/failure.h"
#include "perf-features.h"
#include "perf-queue.h"
#include "perf-space.h"
#include "report/import/import-formats.h"

struct perf_reader_calls {
    /* A sample, and the record that it was in. */
    void (*sample)(void *argument, const struct perf_record *record,
                   const struct perf_data_sample *sample);
    /* Returns the name that a thread is to have, of a file of ours; or NULL:
     * it stays as it is. */
    const char *(*own_name)(void *argument, uint32_t pid, const char *comm);
    /* What is known now is so up to this time, in which more is known.  Or
     * NULL. */
    void (*until)(void *argument, uint64_t time);
};

struct perf_reader {
    const struct import_file *file;
    struct failure *failure;
    const struct perf_reader_calls *calls;
    void *argument; /* of these */
    struct perf_data_events events;
    struct perf_spaces spaces;
    struct perf_files files;
    struct perf_kernel kernel;
    struct perf_about about;
    struct perf_knowledge knowledge;
    struct perf_queue queue;
    bool begun; /* there was a sample */
    bool cut;   /* perf was ended, or the file is cut */
    uint64_t lost, lost_samples, bad;
};

/* What is given stays the caller's; it calls nothing yet. */
void perf_reader_init(struct perf_reader *reader,
                      const struct import_file *file,
                      const struct perf_reader_calls *calls, void *argument,
                      struct failure *failure);
void perf_reader_free(struct perf_reader *reader);

/* Reads the file to its end, or to the first failure of anybody's.  Returns
 * STATUS_DONE, or a failure that names the file, what is wrong with it, and
 * where. */
enum exit_status perf_reader_run(struct perf_reader *reader);

#endif
