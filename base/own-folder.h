/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folders, and files in them, that only their owner may change.  What others
 * may write to, they could replace by links to files that are not theirs.
 */
#ifndef XENOPROF_BASE_OWN_FOLDER_H
#define XENOPROF_BASE_OWN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Returns whether it belongs to owner, and neither its group nor others may
 * write to it. */
bool is_owned(const struct stat *info, uid_t owner);

/* Opens a folder that is_owned(), not through a symbolic link in its last
 * component.  Returns its descriptor, or -1 with errno: EPERM if it is not
 * owner's, or others may write to it. */
int own_folder_open(const char *path, uid_t owner);

/* Writes the path of a file that was installed with a program
 * ("/proc/self/exe": this one), also where all of it was moved since; relative
 * is the file's place as seen from the program's folder.  Returns true, or
 * false if it is not there, the path is longer than size, or the file or a
 * folder on the way to it is somebody's who could not have changed the program.
 */
bool own_file_beside(const char *program, const char *relative, char *path,
                     size_t size);

#endif
