/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves of a session's items what a part of its time needs: what is said of
 * that time, and what was known when it began.  Reports of it are those of the
 * session with --filter=time=.
 */
#ifndef XENOPROF_REPORT_ARCHIVE_CUT_H
#define XENOPROF_REPORT_ARCHIVE_CUT_H

#include "anonymous.h"
#include "base/table.h"
#include "base/vector.h"
#include "libxenoprof/libxenoprof.h"
#include "report/model/time-range.h"

struct cut_text {
    uint64_t time;
    char *key, *value;
};

struct cut {
    struct time_span span;
    struct xenoprof_copy *copy;
    struct anonymous *anonymous; /* NULL: names stay */
    bool begun;                  /* something of the time came */
    struct {
        VECTOR(struct cut_text);
    } texts; /* attributes of the time before, the last of each key */
    struct {
        VECTOR(struct xenoprof_item);
    } sums;             /* of rings, as they were before */
    struct table rings; /* the same: struct cut_ring */
    struct table idles; /* struct cut_idle, the last of each pCPU */
    struct xenoprof_counters counters;
    bool counted;              /* there are counters of the time before */
    struct xenoprof_item wait; /* of any time, if there is one: waited */
    bool waited, wait_put;
    uint64_t cost;         /* as these say */
    uint64_t last_block;   /* the first that goes beyond the time; 0: none */
    uint64_t expired;      /* samples that the session had dropped */
    uint64_t out, outside; /* left out so far; of blocks that are in it */
};

void cut_init(struct cut *cut, const struct time_span *span,
              struct xenoprof_copy *copy, struct anonymous *anonymous);
void cut_free(struct cut *cut);

/* Takes an item of the session, and puts what is left of it, which code never
 * is: it is for cut_add().  block is another
 * number for each block; passed: so many samples were not read so far.  Returns
 * as xenoprof_copy_put() does, as the next one. */
enum xenoprof_status cut_put(struct cut *cut, const struct xenoprof_item *item,
                             uint64_t block, uint64_t passed);
/* Puts an item that is of all of the time. */
enum xenoprof_status cut_add(struct cut *cut, const struct xenoprof_item *item);
/* Puts what is known at the end. */
enum xenoprof_status cut_end(struct cut *cut);

#endif
