/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket's side of the daemon: connections and whole lines.
 */
#ifndef XENOPROF_DAEMON_SERVER_H
#define XENOPROF_DAEMON_SERVER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/failure.h"
#include "control/guest-roots.h"
#include "control/protocol.h"

struct daemon;
struct client;

typedef int client_then(struct daemon *daemon, struct client *client,
                        struct failure *failure);

/* What a client waits for. */
enum client_until {
    UNTIL_STARTED, /* the recording is not STARTING any more */
    UNTIL_STOPPED, /* it is not STOPPING any more */
    UNTIL_FREE,  /* neither of both, and those who waited for that were told */
    UNTIL_STORED /* no guest's kernel is looked for, or it takes too long */
};

struct client {
    int fd; /* -1: free */
    char request[LINE_MAX_BYTES];
    size_t received;
    struct root_folders folders; /* that came with it */
    FILE *reply;                 /* gathers in memory */
    char *reply_text;
    size_t reply_size;
    client_then *then; /* NULL: it does not wait */
    enum client_until until;
    uint64_t deadline;      /* UNTIL_STORED: monotonic ns */
    uint64_t next_progress; /* monotonic ns */
};

#define CLIENTS_MAX 8

struct server {
    int listener;
    int lock;
    char path[108];
    struct client clients[CLIENTS_MAX];
};

/* Takes the lock beside path and listens there.  The folder, which is made, is
 * of who calls this or of that owner, and of nobody else.  Returns 0,
 * STATUS_BUSY if there is another daemon, or STATUS_NO_DAEMON. */
int server_open(struct server *server, const char *path, uid_t owner,
                struct failure *failure);
void server_close(struct server *server);

/* Returns a new connection from root or the daemon's own user, or NULL if there
 * is none. */
struct client *server_accept(struct server *server);

/* Read what came.  True if a whole request is there.  A client that ended or
 * sends nonsense is dropped: its fd is -1. */
bool client_receive(struct client *client);

/* Sends a line of progress at once.  A client that does not read misses it. */
void client_progress(struct client *client, const char *line);

/* Send the reply with its last line, and end the connection. */
void client_finish(struct client *client, const struct failure *failure);
void client_drop(struct client *client);

#endif
