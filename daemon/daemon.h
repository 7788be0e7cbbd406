/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon while it runs: its clients, its recording, its events.
 */
#ifndef XENOPROF_DAEMON_DAEMON_H
#define XENOPROF_DAEMON_DAEMON_H

#include "recording.h"
#include "server.h"

struct daemon {
    struct xen *xen;
    struct xenoprof_handle *handle;
    struct recording recording;
    struct server server;
    const char *session_dir; /* where an open session may be */
    int epoll, signals, timer, domains_fd;
    /* Sockets that end with these; -1: it has ended. */
    int keeper, porter;
    bool leaving; /* it ends when the recording is stopped */
    bool ending;
};

/* Carry out the request that client holds; it is finished unless it waits. */
void request_run(struct daemon *daemon, struct client *client);

/* One round of work on the recording.  More is due at once: call again. */
void daemon_work(struct daemon *daemon);

/* Until a signal or a request ends it.  The descriptors are the daemon's. 0,
 * or a status with a sentence. */
int loop_run(struct daemon *daemon, struct failure *failure);
/* Prepare the descriptors; before anything may be refused to us. */
int loop_open(struct daemon *daemon, struct failure *failure);

#endif
