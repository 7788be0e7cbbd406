/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going into the background: the process that was started waits until the
 * daemon is ready, or says why it is not.
 */
#ifndef XENOPROF_DAEMON_BACKGROUND_H
#define XENOPROF_DAEMON_BACKGROUND_H

#include "base/failure.h"

/*
 * In the daemon, returns the descriptor to tell, or -1 with a failure.  In
 * the process that was started it does not return: it exits with the status
 * that is told, after the sentence.
 */
int background_begin(struct failure *failure);
/* Ready (failure NULL), or not; then stderr is let go.  fd -1 is fine. */
void background_tell(int fd, const struct failure *failure);

#endif
