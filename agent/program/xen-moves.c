/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel sets its watches anew in each domain that it finds itself in, and
 * a watch that is set fires.  This one is of the domain's number, which nobody
 * writes after the domain was made: when it fires again, the guest has moved,
 * or was about to and has stayed.
 *
 * libxenstore would need a thread, and a connection that can be written to.
 */
#include "xen-moves.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is watched, and what its events are called. */
static const char words[] = "domid\0moved";

static bool watch_xenstore(int fd)
{
    struct {
        struct xsd_sockmsg head;
        char words[sizeof(words)];
    } request = {{.type = XS_WATCH, .len = sizeof(words)}, ""};

    memcpy(request.words, words, sizeof(words));
    return write(fd, &request, sizeof(request.head) + sizeof(words)) > 0;
}

static void close_xenstore(struct xen_moves *moves)
{
    close(moves->fd);
    moves->fd = -1;
}

void xen_moves_open(struct xen_moves *moves, const char *devices)
{
    char name[256];

    snprintf(name, sizeof(name), "%s/xenbus", devices);
    *moves = (struct xen_moves){
        .fd = open(name, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if ( moves->fd >= 0 && !watch_xenstore(moves->fd) )
        close_xenstore(moves);
}

/* Returns the size of the first message, or 0 if it is not whole. */
static size_t whole(const struct xen_moves *moves, struct xsd_sockmsg *ret)
{
    if ( moves->size < sizeof(*ret) )
        return 0;
    memcpy(ret, moves->bytes, sizeof(*ret));
    return ret->len <= moves->size - sizeof(*ret) ? sizeof(*ret) + ret->len : 0;
}

static bool take_all(struct xen_moves *moves)
{
    struct xsd_sockmsg head;
    bool moved = false;
    size_t size;

    while ( (size = whole(moves, &head)) )
    {
        if ( head.type == XS_WATCH_EVENT )
        {
            moved |= moves->begun;
            moves->begun = true;
        }
        moves->size -= size;
        memmove(moves->bytes, moves->bytes + size, moves->size);
    }
    return moved;
}

bool xen_moves_happened(struct xen_moves *moves)
{
    bool moved = false;

    while ( !moved && moves->fd >= 0 )
    {
        /* Without room for more: a message that no xenstore sends. */
        ssize_t got = read(moves->fd, moves->bytes + moves->size,
                           sizeof(moves->bytes) - moves->size);

        if ( got < 0 && (errno == EAGAIN || errno == EINTR) )
            break;
        if ( got <= 0 )
            close_xenstore(moves);
        else
        {
            moves->size += (size_t)got;
            moved = take_all(moves);
        }
    }
    return moved;
}
