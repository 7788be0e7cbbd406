/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a session's folder: DATA.0000, DATA.0001, ...
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_FILES_H
#define XENOPROF_LIBXENOPROF_SESSION_FILES_H

#include "private.h"

struct session_files {
    uint32_t *numbers; /* ascending */
    size_t count;
};

/* What else lies in the folder is passed over. */
enum xenoprof_status session_files_list(struct xenoprof_handle *handle,
                                        const char *folder,
                                        struct session_files *ret);
void session_files_free(struct session_files *files);

#endif
