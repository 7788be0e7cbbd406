/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user that a program becomes.
 */
#ifndef XENOPROF_BASE_RUN_USER_H
#define XENOPROF_BASE_RUN_USER_H

#include <sys/types.h>

#include "failure.h"

/* Finds a user's numbers.  Returns 0, or STATUS_NO_USER with a remedy. */
int run_user_find(const char *name, uid_t *user, gid_t *group,
                  struct failure *failure);

#endif
