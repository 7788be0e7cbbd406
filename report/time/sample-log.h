/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When each sample of a report was taken, for forms that have all of them: 12
 * bytes a sample.  The upper half of times changes every four seconds, so it is
 * noted where that is.
 */
#ifndef XENOPROF_REPORT_TIME_SAMPLE_LOG_H
#define XENOPROF_REPORT_TIME_SAMPLE_LOG_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct logged_sample {
    uint32_t time; /* Xen's, in ns: its lower half */
    uint32_t cell; /* index into loaded.cells */
    union {
        float weight;    /* its share of the cell's time, in any unit */
        uint32_t amount; /* what it has of that, once sample_log_share() was
                            called; UINT32_MAX: that is in large */
    };
};

/* Samples one after the other whose times have this upper half. */
struct log_era {
    size_t first;
    uint32_t count;
    uint32_t upper;
};

struct large_amount {
    size_t sample;
    uint64_t amount;
};

struct sample_log {
    bool wanted; /* else nothing is kept */
    VECTOR(struct logged_sample);
    struct {
        VECTOR(struct log_era);
    } eras;
    struct {
        VECTOR(struct large_amount);
    } large; /* by sample */
};

void sample_log_free(struct sample_log *log);

void sample_log_add(struct sample_log *log, uint64_t time, uint32_t cell,
                    double weight);
/* Cells have other indexes: moved[] has the new ones and 1; 0: it is gone. */
void sample_log_move(struct sample_log *log, const uint32_t *moved);
/* Nothing is added any more: puts samples in the order of their times. */
void sample_log_finish(struct sample_log *log);
/* Gives samples what they have of their cells, which are count: time_of()
 * returns what one has in all.  What rounding leaves of a sample is the next
 * one's of its cell; the last one has all that is left. */
void sample_log_share(struct sample_log *log, size_t count,
                      uint64_t (*time_of)(const void *argument, size_t cell),
                      const void *argument);

/* Each of a sample, index < count.  *era is 0 at first, and then what was found
 * for the sample before, which is most often one of the same. */
uint64_t sample_log_time(const struct sample_log *log, size_t index,
                         size_t *era);
uint64_t sample_log_large(const struct sample_log *log, size_t index);
static inline uint64_t sample_log_amount(const struct sample_log *log,
                                         size_t index)
{
    const uint32_t amount = log->items[index].amount;

    return amount < UINT32_MAX ? amount : sample_log_large(log, index);
}

#endif
