/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells that differ in vCPU and pCPU alone become one while a session is read,
 * if nobody asks for these.  On a large host what runs meets each of its many
 * vCPUs and pCPUs, so there would be nearly as many cells as samples.
 *
 * Which share of its pCPU's time a sample has depends on the pCPU, so it is
 * settled before: the time of a long session is shared out piece by piece.  A
 * session of few cells is one piece.
 *
 * From then on cells are made as they are to be, and where each sample ran is
 * kept until a piece is shared out.
 */
#ifndef XENOPROF_REPORT_CELLS_MERGE_CELLS_H
#define XENOPROF_REPORT_CELLS_MERGE_CELLS_H

#include "report/model/load-samples.h"

/* Merges cells once there are many, between some samples and the next, when
 * they get other indexes; and shares out a piece whenever many samples wait for
 * that.  Returns false if there is no memory. */
bool merge_cells(struct loader *loader);
/* All samples are there: they are counted in their cells, and those of cells of
 * several pCPUs have their share of time.  Returns as merge_cells(). */
bool merge_cells_last(struct loader *loader);

#endif
