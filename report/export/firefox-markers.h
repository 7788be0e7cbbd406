/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --export=firefox has beside samples: markers of what the session says of
 * some time, and counters of how long vCPUs ran and waited.
 */
#ifndef XENOPROF_REPORT_EXPORT_FIREFOX_MARKERS_H
#define XENOPROF_REPORT_EXPORT_FIREFOX_MARKERS_H

#include "firefox-tables.h"
#include "report/pace/session-events.h"

/* The process and the thread that has its tracks. */
struct firefox_home {
    char *pid;     /* NULL: there is none */
    size_t thread; /* its number in threads */
};

/* Put members `markers`, `markerSchema`, `counters`.  events NULL: none. */
void firefox_put_markers(struct firefox_tables *tables, struct json *json,
                         const struct session_events *events);
void firefox_put_schema(struct json *json);
/* homes are those of loaded.domains; what has none goes to the host's. */
void firefox_put_counters(struct firefox_tables *tables, struct json *json,
                          const struct firefox_home *homes,
                          const struct firefox_home *host);

/* A time of Xen's as a member of a column: ms since the session's start. */
void firefox_put_time(const struct firefox_tables *tables, struct json *json,
                      uint64_t time);

#endif
