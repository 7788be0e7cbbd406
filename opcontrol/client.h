/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopctl's end of the control socket (control/protocol.h).
 */
#ifndef XENOPROF_OPCONTROL_CLIENT_H
#define XENOPROF_OPCONTROL_CLIENT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/failure.h"
#include "control/guest-roots.h"

/* The daemon's answer, without its last line (ok or error). */
struct reply {
    char *text; /* malloc'ed; each line ends with a zero instead of \n */
    char *end;
};

/* Returns true if a daemon listens. */
bool client_daemon_runs(void);

/* What happens while an answer takes its time. */
struct client_watch {
    void *self;
    /* A line `progress` came; it is good until this returns. */
    void (*progress)(void *self, const char *line);
    /* Something came, or a signal. */
    void (*woken)(void *self);
};

/*
 * Sends one request (a line without its end) and takes the whole answer.
 * Returns 0, the exit status that the daemon sent, STATUS_RANGE if the request
 * is too long, or STATUS_NO_DAEMON.  The caller frees *ret in any case.
 */
int client_ask(const char *request, struct reply *ret, struct failure *failure);
/* The same; watch is good until this returns. */
int client_ask_and_watch(const char *request, const struct client_watch *watch,
                         struct reply *ret, struct failure *failure);
/* Has the next request carry duplicates of these, which are good until then. */
void client_attach(const struct root_folders *folders);
/* Sends a request whose answer nobody wants, and does not wait for it. */
void client_send(const char *request);
void reply_free(struct reply *reply);

/* Returns the line behind line, the first one for NULL, or NULL at the end. */
const char *reply_next(const struct reply *reply, const char *line);

/* Prints one line: our name, what it is, and a text in which others' names may
 * be, made fit for a terminal (base/text.h). */
void client_say(FILE *file, const char *what, const char *text);
/* Prints what is already done on stdout, and warnings on stderr. */
void reply_say(const struct reply *reply);

/* Waits until the running daemon has ended altogether. */
void client_wait_for_end(void);

#endif
