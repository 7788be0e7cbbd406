/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The temporary folder of a session that was made of another tool's file: it is
 * gone when the report ends, however it ends but by a signal that cannot be
 * caught.
 */
#ifndef XENOPROF_REPORT_IMPORT_IMPORT_FOLDER_H
#define XENOPROF_REPORT_IMPORT_IMPORT_FOLDER_H

#include "base/failure.h"

#define IMPORT_FOLDERS_MAX 3u /* --diff reads two sessions, --merge makes one */

struct import_folder {
    char *path; /* NULL: none */
};

/* Makes an empty folder (0700) in $TMPDIR, or in /tmp. */
enum exit_status import_folder_make(struct import_folder *folder,
                                    struct failure *failure);
/* Removes it with its session. */
void import_folder_remove(struct import_folder *folder);
/* For a program that ends at once, also in a signal handler: removes all that
 * there are.  Takes no memory. */
void import_folders_give_up(void);

#endif
