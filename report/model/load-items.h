/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each kind of item in a session means to a loaded.
 */
#ifndef XENOPROF_REPORT_MODEL_LOAD_ITEMS_H
#define XENOPROF_REPORT_MODEL_LOAD_ITEMS_H

#include "load-samples.h"

/* Takes one item in, samples in columns.  Cells have the counts of samples
 * after load_settle_cells(). */
void load_item(struct loader *loader, const struct xenoprof_item *item);

#endif
