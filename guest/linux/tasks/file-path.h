/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The path of a file that a kernel has open. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_FILE_PATH_H
#define XENOPROF_GUEST_LINUX_TASKS_FILE_PATH_H

#include "guest/origin.h"
#include "origin-words.h"

struct file_place {
    uint64_t mount;  /* struct mount */
    uint64_t dentry; /* in it */
};

/* Returns whether a struct file says where it is. */
bool file_place_read(const struct origin_reading *reading, uint64_t file,
                     struct file_place *ret);
/*
 * Returns whether its path up to the root of its mount namespace was read;
 * *slash is the dentry of the directory that the path begins at, 0 if the path
 * is "/" itself.  Two namespaces may have another "/" each.
 */
bool file_path_read(const struct origin_reading *reading,
                    const struct file_place *place,
                    char ret[ORIGIN_PATH_MAX + 1], uint64_t *slash);

#endif
