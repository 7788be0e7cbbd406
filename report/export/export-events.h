/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session says beside its samples, at a time: for formats that show it
 * where it was.
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_EVENTS_H
#define XENOPROF_REPORT_EXPORT_EXPORT_EVENTS_H

#include "export-walk.h"

struct session_event {
    uint64_t from, to; /* Xen's; the same: it is a moment */
    const char *name;  /* of its kind */
    char *text;        /* what was lost, found, changed */
};

struct session_events {
    VECTOR(struct session_event); /* by time */
};

/* Those in the walk's span.  events_free() in any case. */
void events_init(struct session_events *events, const struct export_walk *walk);
void events_free(struct session_events *events);

/* What the vCPUs of a domain did in a bin of time. */
struct export_wait_kind {
    const char *name, *what;
    uint64_t (*time)(const struct vcpu_times *times);
};

#define EXPORT_WAIT_KINDS 3u
extern const struct export_wait_kind export_wait_kinds[EXPORT_WAIT_KINDS];

#endif
