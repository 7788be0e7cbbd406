/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vchan-kit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define ORDER 16
#define SIZE  (1u << ORDER)

struct vchan_kit *kit_vchan;

static struct libxenvchan server, client;
static int events[2] = {-1, -1}; /* the server's end, the client's */

void kit_vchan_make(void)
{
    if ( !kit_vchan )
        kit_vchan = mmap(NULL, sizeof(*kit_vchan), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if ( kit_vchan == MAP_FAILED )
        abort();
    memset(kit_vchan, 0, sizeof(*kit_vchan));
    kit_vchan->most = SIZE;
    kit_vchan->ring.cli_live = 2;
    for ( unsigned int i = 0; i < 2; i++ )
        if ( events[i] >= 0 )
            close(events[i]);
    if ( socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, events) )
        abort();
}

static struct libxenvchan *side(struct libxenvchan *ret, bool is_server)
{
    struct vchan_interface *ring = &kit_vchan->ring;
    const struct libxenvchan_ring left = {&ring->left, kit_vchan->left, ORDER};
    const struct libxenvchan_ring right = {&ring->right, kit_vchan->right,
                                           ORDER};

    /* All that libxenvchan does not set is as it may be. */
    memset(ret, 0xff, sizeof(*ret));
    ret->ring = ring;
    ret->is_server = is_server;
    ret->server_persist = 0;
    ret->read = is_server ? left : right;
    ret->write = is_server ? right : left;
    return ret;
}

struct libxenvchan *libxenvchan_server_init(struct xentoollog_logger *logger,
                                            int domain, const char *xs_path,
                                            size_t read_min, size_t write_min)
{
    (void)logger;
    if ( kit_vchan->absent || domain || read_min != SIZE || write_min != SIZE )
    {
        errno = ENOENT;
        return NULL;
    }
    snprintf(kit_vchan->path, sizeof(kit_vchan->path), "%s", xs_path);
    kit_vchan->ring.srv_live = 1;
    return side(&server, true);
}

int libxenvchan_fd_for_select(struct libxenvchan *channel)
{
    return events[channel->is_server ? 0 : 1];
}

/* The server's way is libxenevtchn's; there is nobody at the other end of the
 * ioctl, so the datagram follows. */
static void notify(const struct libxenvchan *channel)
{
    uint32_t port = 1;

    if ( channel->is_server )
        ioctl(events[0], IOCTL_EVTCHN_NOTIFY, &port);
    send(events[channel->is_server ? 0 : 1], &port, sizeof(port), MSG_DONTWAIT);
}

int xenevtchn_notify(xenevtchn_handle *handle, evtchn_port_t port)
{
    (void)handle;
    (void)port;
    notify(&server);
    return 0;
}

int libxenvchan_wait(struct libxenvchan *channel)
{
    int fd = libxenvchan_fd_for_select(channel);
    uint32_t port;

    if ( kit_vchan->fails )
        errno = EIO;
    if ( kit_vchan->fails || read(fd, &port, sizeof(port)) != sizeof(port) )
        return -1;
    /* An unmasked port is a datagram that nobody has to read. */
    if ( channel->is_server && write(fd, &port, sizeof(port)) < 0 &&
         errno != EAGAIN )
        return -1;
    return 0;
}

int libxenvchan_is_open(struct libxenvchan *channel)
{
    if ( !channel->is_server )
        return channel->ring->srv_live;
    return channel->server_persist ? 1 : channel->ring->cli_live;
}

/* Moves what there is, room or bytes, but no more than a call may. */
static size_t amount(const struct libxenvchan_ring *ring, bool room,
                     size_t wanted)
{
    uint32_t there = __atomic_load_n(&ring->shr->prod, __ATOMIC_ACQUIRE) -
                     __atomic_load_n(&ring->shr->cons, __ATOMIC_ACQUIRE);
    size_t may = there > SIZE ? 0 : room ? SIZE - there : there;

    may = may < kit_vchan->most ? may : kit_vchan->most;
    return may < wanted ? may : wanted;
}

int libxenvchan_read(struct libxenvchan *channel, void *data, size_t size)
{
    const struct libxenvchan_ring *ring = &channel->read;
    size_t count = amount(ring, false, size);

    if ( kit_vchan->fails || channel->blocking )
        return -1;
    if ( !count )
        return libxenvchan_is_open(channel) ? 0 : -1;
    for ( size_t i = 0; i < count; i++ )
        ((uint8_t *)data)[i] =
            ((uint8_t *)ring->buffer)[(ring->shr->cons + i) % SIZE];
    __atomic_fetch_add(&ring->shr->cons, (uint32_t)count, __ATOMIC_RELEASE);
    notify(channel);
    return (int)count;
}

int libxenvchan_write(struct libxenvchan *channel, const void *data,
                      size_t size)
{
    const struct libxenvchan_ring *ring = &channel->write;
    size_t count = amount(ring, true, size);

    if ( kit_vchan->fails || channel->blocking ||
         !libxenvchan_is_open(channel) )
        return -1;
    for ( size_t i = 0; i < count; i++ )
        ((uint8_t *)ring->buffer)[(ring->shr->prod + i) % SIZE] = ((
            const uint8_t *)data)[i];
    __atomic_fetch_add(&ring->shr->prod, (uint32_t)count, __ATOMIC_RELEASE);
    if ( count )
        notify(channel);
    return (int)count;
}

struct libxenvchan *kit_vchan_connect(void)
{
    side(&client, false)->blocking = 0;
    __atomic_store_n(&kit_vchan->ring.cli_live, 1, __ATOMIC_RELEASE);
    notify(&client);
    return &client;
}

void kit_vchan_leave(void)
{
    __atomic_store_n(&kit_vchan->ring.cli_live, 0, __ATOMIC_RELEASE);
    notify(&client);
}

bool kit_vchan_wait(int ms)
{
    struct pollfd poll_one = {.fd = events[1], .events = POLLIN};
    uint32_t port;

    return poll(&poll_one, 1, ms) == 1 &&
           read(events[1], &port, sizeof(port)) == sizeof(port);
}
