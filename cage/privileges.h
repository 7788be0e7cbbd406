/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dropping privileges, setting the filter, and checking both.
 */
#ifndef XENOPROF_CAGE_PRIVILEGES_H
#define XENOPROF_CAGE_PRIVILEGES_H

#include <stdint.h>

#include <sys/types.h>

#include "base/failure.h"

struct identity {
    uid_t uid;
    gid_t gid;
};

/* Finds the user of this name.  Returns 0, or STATUS_NO_USER with a remedy. */
int identity_find(const char *name, struct identity *ret,
                  struct failure *failure);

/* Gives path to the identity if it exists and belongs to root. */
void identity_give(const struct identity *identity, const char *path);

/* From now on: this user, no groups, no capabilities (also if the user is
 * root), and no way to get any.  0 or STATUS_FAILED. */
int privileges_drop(const struct identity *identity, struct failure *failure);

/* From now on: whoever it is, but no capability beside those in this mask
 * (CAP_TO_MASK), and no way to get any.  Returns 0 or a negative errno. */
int privileges_keep(uint32_t capabilities);
/* For who has kept CAP_SETUID and CAP_SETGID: the rest of privileges_drop().
 * Returns 0 or a negative errno. */
int privileges_become(const struct identity *identity);

/* From now on no core is dumped, and only root reads this process's memory:
 * data of guests passes through it.  0 or STATUS_FAILED. */
int privileges_forbid_dumps(struct failure *failure);

/* Lets this process lock so many bytes, also when it has no privileges any
 * more.  Where that is refused it cannot lock them, and notices then. */
void privileges_allow_locking(uint64_t bytes);

/* From now on, a system call that is not on the list kills the process; all
 * its threads.  0 or STATUS_FAILED. */
int privileges_filter(struct failure *failure);

/*
 * See in status_path (/proc/self/task/N/status) that this thread is the
 * identity in each way (real, effective, saved, for files), and that groups and
 * capabilities are none, no_new_privs and the filter on.  0 or STATUS_FAILED.
 */
int privileges_check(const char *status_path, const struct identity *identity,
                     struct failure *failure);
/* The same for all threads of this process. */
int privileges_verify(const struct identity *identity, struct failure *failure);

#endif
