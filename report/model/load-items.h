/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each kind of item in a session means to a loaded.
 */
#ifndef XENOPROF_REPORT_MODEL_LOAD_ITEMS_H
#define XENOPROF_REPORT_MODEL_LOAD_ITEMS_H

#include "cell-queue.h"

#define DOMAIN_NUMBERS 65536u

struct loader {
    struct loaded *loaded;
    const struct time_range *range;
    struct time_span span;
    bool span_known;
    struct cell_queue queue;
    uint32_t *domain_now; /* by number: index + 1 of who it is now; or 0 */
};

/* Whether the loader's span could be settled: it can be once the session's
 * start and its UTC are known, which is before the first sample. */
bool load_settle_span(struct loader *loader);

/* Take one item in; false if there is no memory.  The last samples wait in the
 * loader's queue. */
bool load_item(struct loader *loader, const struct xenoprof_item *item);

#endif
