/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's own perf.data in the host's session: what its processes ran gets
 * the names that the guest knows.  Samples, their times and what they stand for
 * stay the session's: the guest's are not added.
 */
#ifndef XENOPROF_REPORT_MERGE_MERGE_H
#define XENOPROF_REPORT_MERGE_MERGE_H

#include "base/failure.h"
#include "report/import/import-folder.h"

#include <stdbool.h>
#include <stdint.h>

struct merge_wanted {
    char *domain; /* number, name or uuid; NULL: nothing is merged */
    char *file;   /* perf.data */
    bool has_offset;
    int64_t offset; /* ns: Xen's system time less perf's */
};

/* Takes "DOMAIN:FILE" and seconds, "-12.5", which may be NULL.  Returns
 * STATUS_DONE, or STATUS_USAGE and a failure.  merge_wanted_free() in any
 * case. */
enum exit_status merge_wanted_take(struct merge_wanted *wanted,
                                   const char *text, const char *offset,
                                   struct failure *failure);
void merge_wanted_free(struct merge_wanted *wanted);

/* Makes a session in the folder of the one at path.  *said, malloc'ed, says
 * how the clocks were put together, and what came of it.  Returns STATUS_DONE,
 * or a failure that says what to do. */
enum exit_status merge_session(struct import_folder *folder, const char *path,
                               const struct merge_wanted *wanted, char **said,
                               struct failure *failure);

#endif
