/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the session anew, where samples of the domain have what the guest
 * knows of their processes.  All else is as it was. */
#ifndef XENOPROF_REPORT_MERGE_MERGE_WRITE_H
#define XENOPROF_REPORT_MERGE_MERGE_WRITE_H

#include "merge-guest.h"

/* note says in the session what was done.  Returns STATUS_DONE, and *damage, if
 * something could not be read, is a sentence, malloc'ed; or a failure. */
enum exit_status merge_write(struct merge_host *host,
                             const struct merge_guest *guest, const char *from,
                             const char *folder, const char *note,
                             char **damage, struct failure *failure);

#endif
