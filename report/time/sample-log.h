/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When each sample of a report was taken, for forms that have all of them: 16
 * bytes a sample.
 */
#ifndef XENOPROF_REPORT_TIME_SAMPLE_LOG_H
#define XENOPROF_REPORT_TIME_SAMPLE_LOG_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct logged_sample {
    uint32_t time[2]; /* Xen's, in ns: upper half, lower half */
    uint32_t cell;    /* index into loaded.cells */
    float weight;     /* its share of the cell's time, in any unit */
};

struct sample_log {
    bool wanted; /* else nothing is kept */
    VECTOR(struct logged_sample);
};

void sample_log_add(struct sample_log *log, uint64_t time, uint32_t cell,
                    double weight);
/* Cells have other indexes: moved[] has the new ones and 1; 0: it is gone. */
void sample_log_move(struct sample_log *log, const uint32_t *moved);
/* Nothing is added any more: puts samples in the order of their times. */
void sample_log_finish(struct sample_log *log);

static inline uint64_t logged_time(const struct logged_sample *sample)
{
    return (uint64_t)sample->time[0] << 32 | sample->time[1];
}

#endif
