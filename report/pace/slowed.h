/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When samples were taken less often than was asked for, and why: each stretch
 * from the first time that Xen lowered the frequency to the time that it was
 * back.  Samples say what time they stand for, so there were only fewer.
 */
#ifndef XENOPROF_REPORT_PACE_SLOWED_H
#define XENOPROF_REPORT_PACE_SLOWED_H

#include "report/text/header-line.h"
#include "report/model/loaded.h"

struct json;

struct slowed {
    uint64_t since;
    uint64_t until; /* 0: to the session's end */
    uint64_t hertz; /* the least of each pCPU; 0: it is by events */
    bool budget;    /* sampling cost more than its budget */
    bool reader;    /* the rings were not read in time */
};

/* Finds the next stretch from attribute *at on, and moves *at past it.  Returns
 * false if there is none. */
bool slowed_next(const struct loaded *loaded, size_t *at, struct slowed *ret);

/* Returns why: for people. */
const char *slowed_why(const struct slowed *slowed);

/* Adds the stretches to a line of the header, the first ones of many. */
void slowed_add(struct header_line *line, const struct loaded *loaded);
/* Writes member `slowed`, if there is any. */
void slowed_put_json(struct json *json, const struct loaded *loaded);

#endif
