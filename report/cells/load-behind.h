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
#ifndef XENOPROF_REPORT_CELLS_LOAD_BEHIND_H
#define XENOPROF_REPORT_CELLS_LOAD_BEHIND_H

#include "loader.h"

/* From now on, if there can be a thread. */
void behind_start(struct loader *loader);
/* What was given is not done any more. */
void behind_stop(struct loader *loader);

/* Returns how many blocks were given to the thread so far. */
unsigned int behind_given(const struct loader *loader);

/* Whether these samples are to be counted behind: not few, and nobody wants to
 * know which cell is whose. */
bool behind_takes(const struct loader *loader,
                  const struct xenoprof_samples *samples);
/* Copies samples from first to end; then gives those that were copied to the
 * thread. */
void behind_add(struct loader *loader, const struct xenoprof_samples *samples,
                size_t first, size_t end);
void behind_give(struct loader *loader, const struct xenoprof_samples *samples);

/* Each returns when that has ended: the first step, and both. */
void behind_end_calls(struct loader *loader);
void behind_end(struct loader *loader);

#endif
