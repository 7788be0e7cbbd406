/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a session's folder: DATA.0000, DATA.0001, ...
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_FILES_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_FILES_H

#include "base/vector.h"
#include "libxenoprof/handle.h"

#define FILE_NAME_SIZE 32

struct session_files {
    VECTOR(uint32_t); /* file numbers, ascending */
};

/* The name of a session's file, DATA.NNNN. */
void session_file_name(uint32_t number, char ret[FILE_NAME_SIZE]);

/* Returns whether path ends in such a name. */
bool session_file_is_one(const char *path);

/* List the session's files in folder; all other files are ignored. */
enum xenoprof_status session_files_list(struct xenoprof_handle *handle,
                                        const char *folder,
                                        struct session_files *ret);
void session_files_free(struct session_files *files);

#endif
