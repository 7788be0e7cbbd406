/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each kind of item in a session means to a loaded.
 */
#ifndef XENOPROF_REPORT_MODEL_LOAD_ITEMS_H
#define XENOPROF_REPORT_MODEL_LOAD_ITEMS_H

#include "load-samples.h"

/* Takes one item in, samples in columns. */
void load_item(struct loader *loader, const struct xenoprof_item *item);

#endif
