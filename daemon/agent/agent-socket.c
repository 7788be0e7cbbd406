/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct agent_socket {
    struct sockaddr_un address;
    int fd; /* -1: none */
};

static void end_socket(void *self)
{
    struct agent_socket *to = self;

    if ( to->fd >= 0 )
        close(to->fd);
    to->fd = -1;
}

/* Whoever can make a socket there could name dom0's functions. */
static bool is_trusted(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
           (!peer.uid || peer.uid == geteuid());
}

static int call_socket(void *self, const char **why)
{
    struct agent_socket *to = self;

    to->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if ( to->fd < 0 || connect(to->fd, (const struct sockaddr *)&to->address,
                               sizeof(to->address)) )
        *why = errno == EACCES || errno == EPERM
                   ? "opagent's socket is not for this user"
                   : "opagent does not run";
    else
        *why = is_trusted(to->fd)
                   ? NULL
                   : "opagent's socket is neither root's nor this user's";
    if ( *why )
        end_socket(to);
    return to->fd;
}

/* No process of ours. */
static uint64_t socket_cpu(void *self)
{
    (void)self;
    return 0;
}

static void close_socket(void *self)
{
    end_socket(self);
    free(self);
}

bool agent_socket_caller(const char *path, struct agent_caller *ret)
{
    struct agent_socket *to = calloc(1, sizeof(*to));

    if ( !to )
        return false;
    to->fd = -1;
    to->address.sun_family = AF_UNIX;
    snprintf(to->address.sun_path, sizeof(to->address.sun_path), "%s", path);
    *ret = (struct agent_caller){.call = call_socket,
                                 .end = end_socket,
                                 .cpu = socket_cpu,
                                 .close = close_socket,
                                 .self = to,
                                 .nobody = "opagent has ended"};
    return true;
}
