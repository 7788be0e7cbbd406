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
    bool anonymous; /* without names (anonymous.h) */
};

/* Returns STATUS_DONE, or STATUS_DAMAGED with a failure if the file is there
 * without what cannot be read; else the file is as it was before. */
enum exit_status archive_write(const struct archive_wanted *wanted,
                               struct failure *failure);
/* Writes a session without names to a file in a folder that is made for it.
 * *session, a path, becomes that file's, malloc'ed; archive_forget() removes
 * it.  Returns as archive_write() does. */
enum exit_status archive_hide(char **session, struct failure *failure);
void archive_forget(const char *session);

/* For a program that ends at once: what is begun goes. */
void archive_give_up(void);

#endif
