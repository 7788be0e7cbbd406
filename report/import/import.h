/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of other tools as sessions: what the first bytes of a file say is a row
 * of formats.def, whose reader writes a session into a temporary folder.  From
 * there on nobody sees a difference.
 */
#ifndef XENOPROF_REPORT_IMPORT_IMPORT_H
#define XENOPROF_REPORT_IMPORT_IMPORT_H

#include "base/failure.h"
#include "import-folder.h"

/* What a report reads in place of what the user named. */
struct imported {
    struct import_folder folder; /* of the session; path NULL: it is one */
    char *file;                  /* as the user named it; NULL: as above */
};

/*
 * Makes a session of what the user named, if it is a file, and not a session's:
 * *session, which is malloc'ed, is its path then.  What has no '/' is looked
 * for in the folder session_dir first.  Returns STATUS_DONE, also of what is
 * not there or may not be read, which is then said by who opens it; or a
 * failure, if the file is of no format that is known, or damaged.
 * imported_free() in any case.
 */
enum exit_status import_session(struct imported *imported,
                                const char *session_dir, char **session,
                                struct failure *failure);
/* Takes what was never begun; removes the session. */
void imported_free(struct imported *imported);

#endif
