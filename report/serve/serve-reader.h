/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that reads a session, once, and writes what a page has of it into
 * a file of memory.  So the program that serves pages answers others
 * meanwhile, gives all memory back, and is still there if the session is more
 * than a reading can bear.
 */
#ifndef XENOPROF_REPORT_SERVE_SERVE_READER_H
#define XENOPROF_REPORT_SERVE_SERVE_READER_H

#include "base/failure.h"
#include "report/model/report.h"

#include <sys/types.h>

/* What is served; all of it stays the caller's. */
struct serve_wanted {
    const char *port;          /* NULL: any that is free */
    const char *path;          /* of the session */
    const char *name;          /* what it is called */
    const struct query *query; /* with the needs of its view */
    const struct layout *layout;
    const struct view_options *options;
    /* Whether there is anything to show. */
    enum exit_status (*expect)(struct loaded *loaded,
                               const struct selection *selection,
                               struct failure *failure);
};

struct serve_reader {
    pid_t process; /* 0: none */
    int said;      /* what it says if it fails, until it ends */
    int file;      /* what it writes */
    char sentence[FAILURE_MAX];
    size_t used; /* of that */
};

/* How one ended. */
struct serve_reading {
    int file;    /* the caller's; or -1 */
    size_t size; /* of the file */
    int status;  /* an exit status */
    const char
        *sentence; /* if that is no success; good until the next begins */
    uint64_t cost; /* ns of a processor */
};

/* Begins to read samples of that type ("": the usual).  Nobody else uses the
 * reader until serve_reader_go() says that it ended. */
enum exit_status serve_reader_begin(struct serve_reader *reader,
                                    const struct serve_wanted *wanted,
                                    const char *type, struct failure *failure);

/* When reader->said can be read.  Returns whether the process ended; what came
 * of it is in *ret. */
bool serve_reader_go(struct serve_reader *reader, struct serve_reading *ret);

/* Ends a process that still reads. */
void serve_reader_stop(struct serve_reader *reader);

#endif
