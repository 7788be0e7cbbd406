/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session of --browse as a place needs it: read again only where another
 * part of its time is asked for, else its cells are dropped anew.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_READING_H
#define XENOPROF_REPORT_BROWSE_BROWSE_READING_H

#include "browse-place.h"
#include "browse-times.h"
#include "report/model/gather.h"
#include "report/model/profile.h"
#include "report/text/layout.h"

/* What one domain has of what is selected but for domains. */
struct browse_domain {
    uint32_t index; /* into loaded.domains; of the first row, none */
    bool chosen;    /* its samples are selected */
    uint64_t time;
    uint64_t by_mode[XENOPROF_MODES];
};

struct browse_reading {
    const struct report *first;    /* of the session as it was opened */
    struct gathered_session *main; /* the first one's */
    struct gathered_session own;   /* of another time; empty: none */
    char *own_time;                /* what that is, or NULL */
    struct query query;            /* with the place's selection */
    struct layout layout;
    struct view_options options; /* with the place's function */
    struct report report;        /* of what is read, by all of these */
    struct {
        VECTOR(struct browse_domain);
    } domains;            /* the first row is all of them */
    uint64_t domains_all; /* time of which they have parts */
};

/* The session is read; all that is given stays the caller's. */
void browse_reading_init(struct browse_reading *reading,
                         const struct report *first,
                         struct gathered_session *main);
void browse_reading_free(struct browse_reading *reading);

/* The session is that now, which is taken over; browse_reading_take() comes
 * next. */
void browse_reading_renew(struct browse_reading *reading,
                          struct gathered_session *session);

/* From here on reading->report is what the view prints of the place, whose
 * texts must stay as long.  If it fails all is as before. */
enum exit_status browse_reading_take(struct browse_reading *reading,
                                     const struct browse_place *place,
                                     const struct view *view,
                                     struct failure *failure);

/* Returns what the view prints, malloc'ed, or NULL with a failure. */
char *browse_reading_print(struct browse_reading *reading,
                           const struct view *view, struct failure *failure);

/* Reads how busy the selection was over all of the session's time; none if it
 * cannot be read.  browse_times_free(). */
void browse_reading_times(struct browse_reading *reading,
                          struct browse_times *ret);

#endif
