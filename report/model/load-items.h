/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each kind of item in a session means to a loaded.
 */
#ifndef XENOPROF_REPORT_MODEL_LOAD_ITEMS_H
#define XENOPROF_REPORT_MODEL_LOAD_ITEMS_H

#include "loaded.h"

#define DOMAIN_NUMBERS 65536u

/*
 * Samples on their way into their cells.  The cells of a long session are far
 * more than a processor's caches hold, and each sample's lies elsewhere, so a
 * report would mostly wait for memory.  The queue asks for some samples' cells
 * at once, and adds to them when they have come.
 */
#define CELL_QUEUE_LENGTH 64u

struct queued_sample {
    struct cell_key key;
    uint32_t hash;  /* of the key: the queue's own */
    uint64_t time;  /* Xen's */
    uint64_t ticks; /* ns that it stands for */
};

/* All zeroes is an empty queue. */
struct cell_queue {
    struct queued_sample samples[CELL_QUEUE_LENGTH];
    size_t count;
    size_t cell; /* index of the cell that was added to last */
};

/* Adds a sample, in its turn, to its cell and to the timeline.  Returns false
 * if there is no memory. */
bool cell_queue_add(struct cell_queue *queue, struct loaded *loaded,
                    const struct queued_sample *sample);
/* Adds those that still wait; none is left.  Returns false if there is no
 * memory. */
bool cell_queue_end(struct cell_queue *queue, struct loaded *loaded);

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
