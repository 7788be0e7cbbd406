/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MODULE_FOLDER.  What lies there goes into the hypervisor, so it must be
 * root's alone, and whole.
 */
#ifndef XENOPROF_MODULE_FOLDER_H
#define XENOPROF_MODULE_FOLDER_H

#include "context.h"

/*
 * Makes the folder if it is not there, and locks it until *lock is closed:
 * one xenopctl at a time puts a module together or loads one.  MODULE_OK, or
 * MODULE_SYSTEM: it cannot be made, or others than its owner, who must be us,
 * may write to it or to a folder above; *lock is -1 then.
 */
enum module_code folder_lock(struct module_context *context, int *lock);

/*
 * Give a finished file its lasting name, once its bytes are on disk: no crash
 * leaves half a file under that name.  0 or -errno.
 */
int folder_keep(const char *fresh, const char *path);

/* There is a file, and it is nobody's but ours. */
bool folder_has(const char *path);

#endif
