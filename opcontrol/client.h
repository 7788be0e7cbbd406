/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopctl's end of the control socket (protocol.h).
 */
#ifndef XENOPROF_OPCONTROL_CLIENT_H
#define XENOPROF_OPCONTROL_CLIENT_H

#include <stdbool.h>

#include "base/failure.h"

/* What the daemon answered, without the last line. */
struct reply {
    char *text; /* malloc'ed; lines, each ends with a zero instead of \n */
    char *end;
};

/* True if a daemon listens. */
bool client_daemon_runs(void);

/* Start one if none listens, and wait until it does.  0, or a status; the
 * sentence may be empty, since the daemon said it itself. */
int client_launch(const char *session_dir, struct failure *failure);

/*
 * Ask one request (a line without its end) and take the whole answer.  0; the
 * daemon's own failure; or STATUS_NO_DAEMON.
 */
int client_ask(const char *request, struct reply *ret, struct failure *failure);
void reply_free(struct reply *reply);

/* The lines in turn: begin with NULL; NULL at the end. */
const char *reply_next(const struct reply *reply, const char *line);
/* text= of the first line of this word, decoded into text; false: none. */
bool reply_text(const struct reply *reply, const char *word, char *text,
                unsigned long size);
/* Say on stdout what the reply says was done already, and on stderr what it
 * warns of. */
void reply_say(const struct reply *reply);

/* Wait until the daemon that runs has ended altogether. */
void client_wait_for_end(void);

#endif
