/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How busy a selection was over the time of its session: a strip of which a
 * part can be chosen.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_TIMES_H
#define XENOPROF_REPORT_BROWSE_BROWSE_TIMES_H

#include "base/failure.h"
#include "report/model/loaded.h"

struct browse_times {
    uint64_t *samples; /* by bin, but for those of idle time; NULL: none */
    size_t count;      /* of bins */
    uint64_t start;    /* of the first one, ns since the session's start */
    uint64_t width;    /* of each, ns */
};

/* From a session with its timeline, of the cells that are not dropped;
 * browse_times_free(). */
void browse_times_init(struct browse_times *times, const struct loaded *loaded);
void browse_times_free(struct browse_times *times);

/* Returns a line of so many columns, malloc'ed: the higher, the busier. */
char *browse_times_strip(const struct browse_times *times, size_t columns,
                         bool utf8);
/* Returns the time from one column of such a line up to another one, as
 * --filter=time= takes it, malloc'ed; an end that is the strip's is left
 * out. */
char *browse_times_range(const struct browse_times *times, size_t columns,
                         size_t from, size_t to);

#endif
