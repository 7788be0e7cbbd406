/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenoprof-push says of itself: a file with one line of
 * status-values.def, in a folder that only it and root may write to.  It talks
 * to others in a network, so nothing of it is believed.
 */
#ifndef XENOPROF_CONTROL_PUSH_FILE_H
#define XENOPROF_CONTROL_PUSH_FILE_H

#include <stdbool.h>

#include "status-values.h"

#define PUSH_DIR       "/var/lib/xenoprof/push"
#define PUSH_FILE_NAME "status"
#define PUSH_FILE_WORD "push"
#define PUSH_FILE_MAX  (16u << 10)

/* Returns the folder: the environment's XENOPROF_PUSH_DIR if it is set (for
 * tests), else PUSH_DIR. */
const char *push_dir(void);

/* Reads the line of an open file.  Returns false if it is none. */
bool push_file_read(int fd, struct status_push *ret);

/* What is said in the folder.  Returns false if nothing is.  Its state is gone
 * where nobody has the folder's lock and it does not say that it has ended. */
bool push_file_find(const char *dir, struct status_push *ret);

#endif
