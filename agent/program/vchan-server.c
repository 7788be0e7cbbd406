/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli_live says whether there is a client: Linux clears it when that ends.
 * srv_live is what a client looks at.  To hang up and to clear the rings needs
 * only that memory, so it works without privileges, and for as long as the
 * agent runs.
 */
#include "vchan-server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vchan-offer.h"

static bool can_grant(const char *devices)
{
    char path[256];
    int fd;

    snprintf(path, sizeof(path), "%s/gntalloc", devices);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if ( fd < 0 )
        return false;
    close(fd);
    return true;
}

int vchan_server_open(struct vchan_server *server, const char *devices,
                      struct failure *failure)
{
    *server = (struct vchan_server){.moves.fd = -1};
    if ( !can_grant(devices) )
        return fail(failure, STATUS_FAILED,
                    "dom0 cannot ask, since %s/gntalloc cannot be opened "
                    "(%s): modprobe xen-gntalloc, and start opagent again; it "
                    "goes on with its socket",
                    devices, strerror(errno));
    if ( !vchan_offer(&server->rings) )
        return fail(failure, STATUS_FAILED,
                    "dom0 cannot ask, since no vchan can be made at "
                    "%s in xenstore (%s): see opagent(8), IN A GUEST; it goes "
                    "on with its socket",
                    AGENT_VCHAN_PATH, strerror(errno));
    vchan_messages_begin(&server->messages, &server->rings);
    server->open = true;
    xen_moves_open(&server->moves, devices);
    return 0;
}

static bool has_client(const struct vchan_server *server)
{
    return __atomic_load_n(&server->rings.page->cli_live, __ATOMIC_ACQUIRE) ==
           1;
}

static void set_alive(const struct vchan_server *server, uint8_t alive)
{
    __atomic_store_n(&server->rings.page->srv_live, alive, __ATOMIC_RELEASE);
}

static void follow_client(struct vchan_server *server)
{
    if ( server->state != VCHAN_FREE && !has_client(server) )
    {
        vchan_rings_clear(&server->rings);
        set_alive(server, 1);
        server->state = VCHAN_FREE;
    }
    if ( server->state == VCHAN_FREE && has_client(server) )
    {
        server->talk = (struct agent_talk){.version = 0};
        vchan_messages_begin(&server->messages, &server->rings);
        server->state = VCHAN_TALKING;
    }
}

static bool hang_up(struct vchan_server *server)
{
    server->state = VCHAN_HUNG_UP;
    set_alive(server, 0);
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

int vchan_server_patience(struct vchan_server *server)
{
    return patience_ms(&server->patience, server->rings.moved);
}
