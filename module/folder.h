/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of built modules.  Its files go into the hypervisor, so it must
 * belong to root alone, and its files must be whole. */
#ifndef XENOPROF_MODULE_FOLDER_H
#define XENOPROF_MODULE_FOLDER_H

#include <stdbool.h>

#include "base/failure.h"

#define MODULE_FOLDER "/var/lib/xenoprof/modules"

/*
 * Makes a folder and the one above it if they are missing, and locks it until
 * *lock is closed: one xenopctl at a time builds or loads a module.  Returns 0,
 * or STATUS_FAILED with *lock -1 if one of the two cannot be made, is not ours,
 * or others may write to it.
 */
int folder_lock(const char *folder, int *lock, struct failure *failure);

/* What a file is called while it is made: its lasting name, and this. */
#define FOLDER_FRESH ".new"

/* Beginning of the names of files that are removed after use (mkstemp()). */
#define FOLDER_PASSING ".probe-"

/* Removes files of both sorts that a build left which was killed.  lock is that
 * of folder_lock(), so nobody is at work on them. */
void folder_clean(int lock);

/*
 * Gives a finished file its lasting name, once its bytes are on disk: no crash
 * leaves half a file under that name.  Returns 0 or -errno.
 */
int folder_keep(const char *fresh, const char *path);

/* Returns whether there is a file that is ours and that only we may write. */
bool folder_has(const char *path);

#endif
