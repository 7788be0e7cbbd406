/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample-log.h"

#include "base/must.h"
#include "base/sort-rows.h"

#define SAMPLE_WORDS (sizeof(struct logged_sample) / sizeof(uint32_t))

void sample_log_add(struct sample_log *log, uint64_t time, uint32_t cell,
                    double weight)
{
    struct logged_sample *sample = must(vector_add(log));

    sample->time[0] = (uint32_t)(time >> 32);
    sample->time[1] = (uint32_t)time;
    sample->cell = cell;
    sample->weight = (float)weight;
}

void sample_log_move(struct sample_log *log, const uint32_t *moved)
{
    size_t kept = 0;

    for ( size_t i = 0; i < log->count; i++ )
    {
        struct logged_sample sample = log->items[i];

        if ( !moved[sample.cell] )
            continue;
        sample.cell = moved[sample.cell] - 1;
        log->items[kept++] = sample;
    }
    log->count = kept;
}

void sample_log_finish(struct sample_log *log)
{
    if ( log->count )
        must_do(sort_rows((uint32_t *)log->items, log->count, SAMPLE_WORDS, 2));
}
