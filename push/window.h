/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is sent: the samples that were added to a session since the last time.
 * Samples that wait for names are added late, so a window is what was added in
 * some seconds, not what is of these seconds.  Which file implements this the
 * linker decides: window-session.c, or that of a test.
 */
#ifndef XENOPROF_PUSH_WINDOW_H
#define XENOPROF_PUSH_WINDOW_H

#include "base/buffer.h"
#include "base/failure.h"
#include "base/vector.h"

/* Which session it is, as text; 0 at its end. */
#define WINDOW_SESSION_MAX 64u

struct window_series {
    char *domain, *uuid; /* NULL: of the whole host */
    struct buffer bytes;
};

struct window {
    VECTOR(struct window_series);
    uint64_t samples;
    uint64_t from, to; /* ns since 1970 */
    /* Where the session was read up to. */
    char session[WINDOW_SESSION_MAX];
    uint64_t position;
    bool closed; /* nothing is added any more */
};

struct window_ask {
    const char *session_dir; /* whose current session it is */
    const char *format;      /* of series: a format of xenopreport --export */
    bool by_domain;          /* a series each; else one in all */
    /* What was taken before; "" and 0: nothing. */
    char session[WINDOW_SESSION_MAX];
    uint64_t position;
};

struct window_source;

/* Returns a source, which window_source_close() frees, or NULL with a failure.
 * It is not yet looked whether there is a session. */
struct window_source *window_source_open(const struct window_ask *ask,
                                         struct failure *failure);
void window_source_close(struct window_source *source);

/*
 * Takes what was added since: each sample once, none left out.  Returns true;
 * ret is the caller's, empty if nothing was added.  False with a failure: the
 * session cannot be read now; what was added comes the next time.
 */
bool window_next(struct window_source *source, struct window *ret,
                 struct failure *failure);
void window_free(struct window *window);

#endif
