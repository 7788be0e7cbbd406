/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the session is that a user names, and whether it is written.
 */
#ifndef XENOPROF_REPORT_MODEL_SESSIONS_H
#define XENOPROF_REPORT_MODEL_SESSIONS_H

#include "base/failure.h"
#include "loaded.h"

#include <stdint.h>

/*
 * A name is a folder in folder; what has a slash in it is a path.  *ret is
 * malloc'ed.  If there is no such session the failure lists those that
 * folder has.
 */
enum exit_status session_find(const char *folder, const char *wanted,
                              char **ret, struct failure *failure);

/* The last part of a session's path: part of path, which loses slashes at its
 * end. */
const char *session_name(char *path);

/* Whether a session's path is its folder, and not one file of it. */
bool session_has_folder(const char *path);

/* Returns how many bytes a session, or one file of it, has; 0 if it is not
 * there. */
uint64_t session_bytes(const char *path);

/* Returns when a session, or one file of it, was written last, ns since 1970;
 * 0 if it is not there. */
uint64_t session_written(const char *path);

/* "dom0, 2026-11-27 05:05, 3 min 03 s": what a file made of a session is
 * called, which is looked at elsewhere, and later.  A name comes first, if it
 * says more than "current".  malloc'ed. */
char *session_title(const char *name, const struct loaded *loaded);

/*
 * Whether more of a session is to come.  One that was not closed is being
 * written, or never will be again: its daemon was killed, or it is a copy that
 * was cut short.  Who writes a session holds a lock on its folder, and writes a
 * block each second or so.  That nobody does is said only if there is no such
 * lock, as far as it can be seen from here (not over all network file systems),
 * and either the newest file was not written for a minute, or what it has last
 * was a minute old when it was: then it is a copy of something older.
 */
enum session_life {
    SESSION_CLOSED,
    SESSION_OPEN, /* and, as far as is known, being written */
    SESSION_CUT,  /* never closed, and nobody writes it */
    SESSION_PART, /* the same of one file: others may go on from there */
};

/* path is a session's, or that of one of its files. */
enum session_life session_state_find(const char *path,
                                     const struct loaded *loaded);

/* "closed", as scripts read it. */
const char *session_state_word(enum session_life state);
/* The same for people, malloc'ed. */
char *session_state_text(enum session_life state, const struct loaded *loaded);

#endif
