/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where sessions lie: folders in the session directory.  `current` is the
 * newest, `previous` the one before, all others were named with --save.
 *
 * Paths are looked up with no link followed in the last step, since the
 * directory belongs to the daemon's user and root works in it too.
 */
#ifndef XENOPROF_CONTROL_SESSION_FOLDERS_H
#define XENOPROF_CONTROL_SESSION_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/failure.h"

#define SESSION_CURRENT  "current"
#define SESSION_PREVIOUS "previous"
#define SESSION_STARTING ".starting" /* until the first sample flows */
#define SESSION_NAME_MAX 64

/* A name that --save may give: letters, digits, '.', '_', '-', at most 64,
 * not beginning with '.' or '-', and not one of the two above.  0 or
 * STATUS_RANGE with a sentence. */
int session_name_check(const char *name, struct failure *failure);

/* Make dir (0700) and its parents if they are not there, and see that it can
 * be written.  0 or STATUS_SESSION_DIR. */
int session_dir_prepare(const char *dir, struct failure *failure);

/*
 * As root: the same, for somebody else's use.  The directory becomes uid's if
 * it is made now, or is root's, empty and private: not any directory that
 * happened to be named.
 */
int session_dir_make_for(const char *dir, uid_t uid, gid_t gid,
                         struct failure *failure);

bool session_exists(const char *dir, const char *name);

/* The session that was starting becomes current, current becomes previous,
 * what was previous is deleted.  0 or STATUS_SESSION_DIR. */
int session_rotate(const char *dir, struct failure *failure);

/* Delete a session; one that is not there is fine. */
int session_delete(const char *dir, const char *name, struct failure *failure);

/*
 * Give the files of current to a new session called name, by hard links: none
 * of them may be written any more.  0, STATUS_NO_SESSION,
 * STATUS_SESSION_EXISTS, STATUS_SESSION_DIR or STATUS_DISK_FULL.
 */
int session_link(const char *dir, const char *name, struct failure *failure);

/* Names of all sessions, sorted, NULL at the end; each and the array are
 * malloc'ed.  NULL with a failure. */
char **session_names(const char *dir, struct failure *failure);
void session_names_free(char **names);

#endif
