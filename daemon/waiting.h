/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clients whose answer takes more than one round: what each waits for, and the
 * lines of progress that it gets meanwhile (control/protocol.h).
 *
 * A client may go away while it waits: what the daemon does for it goes on.
 */
#ifndef XENOPROF_DAEMON_WAITING_H
#define XENOPROF_DAEMON_WAITING_H

#include "daemon.h"

/* The request goes on with then() when the recording is there.  It is as the
 * function of a request: it may wait again; failure is what the recording
 * failed with. */
void client_wait(struct client *client, enum client_until until,
                 client_then *then);

/* The recording moved on: goes on with the requests of those who have waited
 * long enough, and reports to the others.  failure: what it failed with, or
 * NULL. */
void request_polled(struct daemon *daemon, const struct failure *failure);

#endif
