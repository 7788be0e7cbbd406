/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that a passive guest's processes have mapped (questions.h). */
#ifndef XENOPROF_DAEMON_GUESTS_CACHED_FILES_H
#define XENOPROF_DAEMON_GUESTS_CACHED_FILES_H

#include "guests.h"

struct cached_file {
    uint64_t id;
    uint64_t mapping;
    char *path; /* malloc'ed; "": not known; NULL: no memory */
};

/* Takes no memory yet. */
void cached_files_init(struct guest_cached *cached);
/* None is known any more. */
void cached_files_forget(struct guest_cached *cached);
/* Takes which files a process has mapped. */
void cached_files_know(struct guest *guest, const struct mapped_space *space);

#endif
