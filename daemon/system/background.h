/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going into the background: the process that was started waits until the
 * daemon is ready, or says why it is not.
 */
#ifndef XENOPROF_DAEMON_SYSTEM_BACKGROUND_H
#define XENOPROF_DAEMON_SYSTEM_BACKGROUND_H

#include <stdbool.h>

#include "base/failure.h"

/* Works until its end with the program's arguments.  Tells parent when it is
 * ready; returns 0, or a status with a failure. */
typedef int background_work(const void *arguments, int parent,
                            struct failure *failure);

/*
 * Calls work in a daemon, or here if it is to stay in the foreground, and does
 * not return: exits with the work's status.  The process that was started
 * prints the sentence of background_tell() and exits with its status.
 */
_Noreturn void background_run(background_work *work, const void *arguments,
                              bool foreground);
/* Reports ready (failure NULL) or the failure, and closes stderr.  fd may
 * be -1. */
void background_tell(int fd, const struct failure *failure);

#endif
