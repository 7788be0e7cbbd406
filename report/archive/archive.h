/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a session, or a part of its time, as one file, which is a session
 * itself and can be looked at anywhere.
 */
#ifndef XENOPROF_REPORT_ARCHIVE_ARCHIVE_H
#define XENOPROF_REPORT_ARCHIVE_ARCHIVE_H

#include "base/failure.h"
#include "report/model/time-range.h"

struct archive_wanted {
    const char *session; /* path */
    const char *file;    /* a regular file there is replaced */
    const struct time_range *range;
    bool anonymous;    /* without names (anonymous.h) */
    bool no_code;      /* nor the code of functions (archive-code.h) */
    char *const *code; /* --code: "WHAT:FILE", ends with NULL; or NULL */
};

/* Returns STATUS_DONE, or STATUS_DAMAGED with a failure if the file is there
 * without what cannot be read; else the file is as it was before. */
enum exit_status archive_write(const struct archive_wanted *wanted,
                               struct failure *failure);
/* *session, a path that is malloc'ed, becomes that of a copy without names,
 * which only this process has, and only as long as it runs; code: it is wanted,
 * too.  Returns as archive_write() does. */
enum exit_status archive_hide(char **session, bool code,
                              struct failure *failure);

/* For a program that ends at once: what is begun goes. */
void archive_give_up(void);

#endif
