/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the session is that a user names.
 */
#ifndef XENOPROF_REPORT_MODEL_SESSIONS_H
#define XENOPROF_REPORT_MODEL_SESSIONS_H

#include "base/failure.h"

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

/* Returns how many bytes a session, or one file of it, has; 0 if it is not
 * there. */
uint64_t session_bytes(const char *path);

#endif
