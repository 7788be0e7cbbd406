/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session says beside its samples, at a time: for formats that show it
 * where it was.
 */
#ifndef XENOPROF_REPORT_PACE_SESSION_EVENTS_H
#define XENOPROF_REPORT_PACE_SESSION_EVENTS_H

#include "base/vector.h"
#include "report/model/loaded.h"

struct session_event {
    uint64_t from, to; /* Xen's; the same: it is a moment */
    const char *name;  /* of its kind */
    char *text;        /* what was lost, found, changed, came, went */
};

struct session_events {
    VECTOR(struct session_event); /* by time */
};

/* Those in the span.  events_free() in any case. */
void events_init(struct session_events *events, const struct loaded *loaded,
                 const struct time_span *span);
void events_free(struct session_events *events);

#endif
