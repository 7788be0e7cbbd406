/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions are folders in the session directory.  `current` is the newest,
 * `previous` the one before; the others were named with --save.
 *
 * The directory belongs to the daemon's user and root works in it too, so
 * no function follows a symbolic link in the last component of a path.
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

/*
 * Returns 0 if --save may give this name: 1 to 64 letters, digits, '.', '_'
 * and '-', not beginning with '.' or '-', and neither current nor previous.
 * Otherwise STATUS_RANGE.
 */
int session_name_check(const char *name, struct failure *failure);

/* Makes dir (0700) and its parents (0755, whatever the umask) if they do not
 * exist, and checks that dir can be written, belongs to this user, and that
 * nobody else may write to it.  Returns 0 or STATUS_SESSION_DIR. */
int session_dir_prepare(const char *dir, struct failure *failure);

/*
 * The same, as root for uid.  Gives dir to uid if dir is new, or is root's,
 * empty and private; any other directory of root's keeps its owner.  One of
 * anybody else's is refused.
 */
int session_dir_make_for(const char *dir, uid_t uid, gid_t gid,
                         struct failure *failure);

bool session_exists(const char *dir, const char *name);

/* The session that was starting becomes current, current becomes previous,
 * the old previous is deleted.  Returns 0 or STATUS_SESSION_DIR. */
int session_rotate(const char *dir, struct failure *failure);

/* Deletes a session.  Returns 0, also if the session does not exist, or
 * STATUS_SESSION_DIR. */
int session_delete(const char *dir, const char *name, struct failure *failure);

/*
 * Hard-links the files of current into a new session called name: nobody may
 * write to them any more.  Returns 0, STATUS_NO_SESSION,
 * STATUS_SESSION_EXISTS, STATUS_SESSION_DIR or STATUS_DISK_FULL.
 */
int session_link(const char *dir, const char *name, struct failure *failure);

/* Returns the names of all sessions, sorted, with NULL at the end, or NULL
 * with a failure.  The caller frees them with session_names_free(). */
char **session_names(const char *dir, struct failure *failure);
void session_names_free(char **names);

#endif
