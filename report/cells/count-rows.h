/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples are counted in their cells.  The cells of a long session are far more
 * than a processor's caches hold, and each sample's lies elsewhere, so a report
 * would mostly wait for memory: what some samples need is asked for at once,
 * and counted when it has come.
 */
#ifndef XENOPROF_REPORT_CELLS_COUNT_ROWS_H
#define XENOPROF_REPORT_CELLS_COUNT_ROWS_H

#include "loader.h"

/* Counts samples from first to end; it is known whose they are, and what their
 * calls are.  loader->cells says which cell is whose. */
void count_rows(struct loader *loader, const struct xenoprof_samples *samples,
                size_t first, size_t end);

/* Makes room in loader->cells for so many samples, which have none yet. */
void count_make_room(struct loader *loader, size_t count);

#endif
