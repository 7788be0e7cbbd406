/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was read of the session that is served: a copy for each type of samples
 * that somebody asked for lately.  The session is read again only if somebody
 * asks and it has grown, and no more often than a reading is a tenth of the
 * time.
 */
#ifndef XENOPROF_REPORT_SERVE_SERVE_COPIES_H
#define XENOPROF_REPORT_SERVE_SERVE_COPIES_H

#include "http-connection.h"
#include "serve-reader.h"

#define SERVE_COPIES 4u
#define SERVE_EACH   1000000000ull /* ns between two readings, at least */
#define SERVE_SHARE  10u /* of the time, a reading is one in so many */

/* What tells that a session is another than it was. */
struct serve_growth {
    uint64_t bytes;
    uint64_t written; /* ns since 1970 */
    bool quiet;       /* for so long that nobody may write it any more */
};

struct serve_copy {
    char type[HTTP_TYPE_MAX + 1];
    struct serve_growth growth;
    uint64_t number; /* of the reading; 0: no copy */
    uint64_t asked;  /* when it was last, as monotonic_now() */
    int file;        /* -1: it could not be read, and why: */
    size_t size;
    char sentence[FAILURE_MAX];
};

struct serve_copies {
    const struct serve_wanted *wanted;
    struct serve_reader reader;
    char type[HTTP_TYPE_MAX + 1]; /* that is read */
    struct serve_growth growth;   /* before it was */
    uint64_t began;               /* then */
    uint64_t next;                /* when the next may begin */
    uint64_t readings;            /* that ended */
    struct serve_copy copies[SERVE_COPIES];
};

/* serve_copies_free() in any case. */
void serve_copies_init(struct serve_copies *copies,
                       const struct serve_wanted *wanted);
void serve_copies_free(struct serve_copies *copies);

/* Returns whether there is an answer for who wants that; if not, there is one
 * when the reader has ended, or at copies->next. */
bool serve_copies_ask(struct serve_copies *copies,
                      const struct http_wanted *wanted, uint64_t now,
                      struct http_answer *ret);

/* When copies->reader.said can be read.  Returns whether a reading ended; what
 * came of it is in *ret, but for its file. */
bool serve_copies_go(struct serve_copies *copies, uint64_t now,
                     struct serve_reading *ret);

#endif
