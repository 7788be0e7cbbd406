/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With server_persist libxenvchan keeps a server's rings from one client to the
 * next, and does not say that one has gone: cli_live, which Xen's drivers clear
 * when it ends, does, and its event comes then.  srv_live is what a client
 * looks at.  To hang up and to clear the rings needs only that memory, so it
 * works without privileges, and for as long as the agent runs.
 */
#include "vchan-server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xenevtchn.h>

static bool has_device(const char *folder, const char *name)
{
    char path[256];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if ( fd < 0 )
        return false;
    close(fd);
    return true;
}

/* Where something fails, libxenvchan (4.17 at least) unmaps and frees what it
 * has not set yet.  So what it is given has to be zeroes: malloc() of glibc
 * gives first what was freed last.  There are more of these than it holds of a
 * size. */
static void leave_zeroes(void)
{
    void *chunks[64];

    for ( unsigned int i = 0; i < 64; i++ )
    {
        chunks[i] = malloc(sizeof(struct libxenvchan));
        if ( chunks[i] )
            explicit_bzero(chunks[i], sizeof(struct libxenvchan));
    }
    for ( unsigned int i = 0; i < 64; i++ )
        free(chunks[i]);
}

static bool open_channel(struct vchan_server *server)
{
    leave_zeroes();
    server->channel = libxenvchan_server_init(
        NULL, 0, AGENT_VCHAN_PATH, AGENT_VCHAN_RING, AGENT_VCHAN_RING);
    if ( !server->channel )
        return false;
    server->channel->server_persist = 1;
    vchan_messages_begin(&server->messages, server->channel);
    server->fd = libxenvchan_fd_for_select(server->channel);
    return !fcntl(server->fd, F_SETFL, O_RDWR | O_NONBLOCK);
}

int vchan_server_open(struct vchan_server *server, const char *devices,
                      struct failure *failure)
{
    *server = (struct vchan_server){.fd = -1, .moves.fd = -1};
    if ( !has_device(devices, "gntalloc") || !has_device(devices, "evtchn") )
        return fail(failure, STATUS_FAILED,
                    "dom0 cannot ask, since %s/gntalloc or evtchn cannot be "
                    "opened (%s): modprobe -a xen-gntalloc xen-evtchn, and "
                    "start opagent again; it goes on with its socket",
                    devices, strerror(errno));
    if ( open_channel(server) )
    {
        xen_moves_open(&server->moves, devices);
        return 0;
    }
    server->channel = NULL;
    server->fd = -1;
    return fail(failure, STATUS_FAILED,
                "dom0 cannot ask, since no vchan can be made at "
                "%s in xenstore (%s): see opagent(8), IN A GUEST; it goes on "
                "with its socket",
                AGENT_VCHAN_PATH, strerror(errno));
}

bool vchan_server_wake(const struct vchan_server *server)
{
    errno = 0;
    return !libxenvchan_wait(server->channel) || errno == EAGAIN;
}

static bool has_client(const struct vchan_server *server)
{
    return __atomic_load_n(&server->channel->ring->cli_live,
                           __ATOMIC_ACQUIRE) == 1;
}

static void set_alive(const struct vchan_server *server, uint8_t alive)
{
    __atomic_store_n(&server->channel->ring->srv_live, alive, __ATOMIC_RELEASE);
}

/* What a client has not read, or has written, is not the next one's.  Of each
 * ring the index that moves is ours. */
static void clear_rings(const struct vchan_server *server)
{
    struct ring_shared *in = server->channel->read.shr;
    struct ring_shared *out = server->channel->write.shr;

    __atomic_store_n(&in->cons, __atomic_load_n(&in->prod, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&out->prod, __atomic_load_n(&out->cons, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
}

static void follow_client(struct vchan_server *server)
{
    if ( server->state != VCHAN_FREE && !has_client(server) )
    {
        clear_rings(server);
        set_alive(server, 1);
        server->state = VCHAN_FREE;
    }
    if ( server->state == VCHAN_FREE && has_client(server) )
    {
        server->talk = (struct agent_talk){.version = 0};
        vchan_messages_begin(&server->messages, server->channel);
        server->state = VCHAN_TALKING;
    }
}

static bool hang_up(struct vchan_server *server)
{
    server->state = VCHAN_HUNG_UP;
    set_alive(server, 0);
    xenevtchn_notify(server->channel->event, server->channel->event_port);
    return false;
}

bool vchan_server_turn(struct vchan_server *server,
                       const struct agent_facts *facts, void *reply)
{
    const void *message;
    size_t size;
    bool over;
    int got;

    follow_client(server);
    if ( server->state != VCHAN_TALKING )
        return false;
    if ( vchan_messages_flush(&server->messages) )
        return hang_up(server);
    if ( !vchan_messages_can_put(&server->messages) )
        return false;
    got = vchan_messages_take(&server->messages, &message);
    if ( got <= 0 )
        return got ? hang_up(server) : false;
    size = answer_message(facts, &server->talk, message, (size_t)got, reply,
                          &over);
    if ( vchan_messages_put(&server->messages, reply, size) ||
         vchan_messages_flush(&server->messages) || over )
        return hang_up(server);
    return true;
}
