/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples, in columns, into their cells. */
#ifndef XENOPROF_REPORT_MODEL_LOAD_SAMPLES_H
#define XENOPROF_REPORT_MODEL_LOAD_SAMPLES_H

#include "report/cells/loader.h"

/* Frees in any case. */
void loader_init(struct loader *loader, struct loaded *loaded,
                 const struct load_wanted *wanted);
void loader_free(struct loader *loader);

/* Whether the loader's span could be settled: it can be once the session's
 * start and its UTC are known, which is before the first sample. */
bool load_settle_span(struct loader *loader);

static inline void load_note_time(struct loaded *loaded, uint64_t time)
{
    struct clocks *clocks = &loaded->clocks;

    if ( !time )
        return;
    if ( !clocks->start )
        clocks->start = time;
    if ( time > loaded->last )
        loaded->last = time;
}

/* For xenoprof_session_kinds_only(), of the loader: as kinds_put().  Returns
 * true. */
bool load_kinds(void *argument, uint32_t file,
                const struct xenoprof_kind_node *nodes, size_t count,
                uint32_t *ret);
/* Counts samples, those in the loader's span by cell and in the timeline, at
 * once or by a thread (count-thread.h); loader->cells says which cell is whose,
 * if it was done at once. */
void load_samples(struct loader *loader,
                  const struct xenoprof_samples *samples);

/* Units that a sample of the session's who stands for, of one that was
 * counted. */
static inline uint64_t load_sample_ticks(const struct loader *loader,
                                         uint32_t who)
{
    return loader->whose.items[who].ticks;
}

#endif
