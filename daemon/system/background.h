/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going into the background: the process that was started waits until the
 * daemon is ready, or says why it is not.
 */
#ifndef XENOPROF_DAEMON_SYSTEM_BACKGROUND_H
#define XENOPROF_DAEMON_SYSTEM_BACKGROUND_H

#include "base/failure.h"

/*
 * In the daemon, returns the descriptor for background_tell(), or -1 with a
 * failure.  In the process that was started it does not return: it prints the
 * sentence of background_tell() and exits with its status.
 */
int background_begin(struct failure *failure);
/* Reports ready (failure NULL) or the failure, and closes stderr.  fd may
 * be -1. */
void background_tell(int fd, const struct failure *failure);

#endif
