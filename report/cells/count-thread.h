/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of a block are counted by another thread while the next block is
 * read.  That is done in two steps, one after the other, and each has to have
 * ended before what it looks at is changed:
 *
 *  - first their calls get numbers (load_calls()), before anything comes that
 *    has a name, a place or a node;
 *  - then they are counted (count_rows()), before the next samples come.
 *
 * What comes of it is the same as without: nothing depends on when a step is
 * done.
 */
#ifndef XENOPROF_REPORT_CELLS_COUNT_THREAD_H
#define XENOPROF_REPORT_CELLS_COUNT_THREAD_H

#include "loader.h"

/* From now on, if there can be a thread. */
void count_thread_start(struct loader *loader);
/* What was given is not done any more. */
void count_thread_stop(struct loader *loader);

/* Returns how many blocks were given to the thread so far. */
unsigned int count_thread_given(const struct loader *loader);

/* Whether the thread is to count these samples: not few, and nobody wants to
 * know which cell is whose. */
bool count_thread_takes(const struct loader *loader,
                        const struct xenoprof_samples *samples);
/* Copies samples from first to end; then gives those that were copied to the
 * thread. */
void count_thread_add(struct loader *loader,
                      const struct xenoprof_samples *samples, size_t first,
                      size_t end);
void count_thread_give(struct loader *loader,
                       const struct xenoprof_samples *samples);

/* Each returns when that has ended: the first step, and both. */
void count_thread_end_calls(struct loader *loader);
void count_thread_end(struct loader *loader);

#endif
