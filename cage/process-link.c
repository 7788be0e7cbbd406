/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process's socket, which is never waited for, and its clock. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "process-link.h"
#include "process-words.h"

bool process_link_begin(struct process_link *link,
                        const struct process_maker *maker,
                        const struct process_order *order)
{
    const int on = 1;
    int ends[2];
    bool made;

    *link = (struct process_link){.maker = *maker, .socket = -1};
    if ( socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) )
        return false;
    made = setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0 &&
           maker->make(maker->self, order, ends[1], &link->number);
    close(ends[1]);
    if ( !made )
    {
        close(ends[0]);
        return false;
    }
    link->socket = ends[0];
    link->begun = monotonic_now();
    return true;
}

void process_link_end(struct process_link *link)
{
    if ( link->socket < 0 )
        return;
    process_link_cpu(link);
    link->maker.end(link->maker.self, link->number);
    close(link->socket);
    link->socket = -1;
}

uint64_t process_link_cpu(struct process_link *link)
{
    uint64_t now, more;

    if ( link->ready && link->socket >= 0 )
    {
        now = clock_read(link->clock);
        if ( now == UINT64_MAX || now < link->counted )
            return link->cpu;
        more = now - link->counted;
        link->counted = now;
        link->cpu += link->maker.work ? process_work_add(link->maker.work, more)
                                      : more;
    }
    return link->cpu;
}

/* What the kernel says of who sent a packet; 0: nothing. */
static pid_t sender_of(struct msghdr *header)
{
    const struct cmsghdr *part = CMSG_FIRSTHDR(header);
    struct ucred sender;

    if ( !part || part->cmsg_level != SOL_SOCKET ||
         part->cmsg_type != SCM_CREDENTIALS ||
         part->cmsg_len != CMSG_LEN(sizeof(sender)) )
        return 0;
    memcpy(&sender, CMSG_DATA(part), sizeof(sender));
    return sender.pid;
}

/* As recvmsg().  If a process goes before it has read all, that is said first,
 * and once; what it had sent comes after that. */
static ssize_t receive_one(const struct process_link *link,
                           struct msghdr *header)
{
    ssize_t got = recvmsg(link->socket, header, MSG_DONTWAIT);

    return got < 0 && errno == ECONNRESET
               ? recvmsg(link->socket, header, MSG_DONTWAIT)
               : got;
}

/* The first packet; returns as recv() does. */
static ssize_t receive_ready(struct process_link *link)
{
    const int off = 0;
    uint64_t word = 0;
    struct iovec bytes = {&word, sizeof(word)};
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct msghdr header = {.msg_iov = &bytes,
                            .msg_iovlen = 1,
                            .msg_control = control.room,
                            .msg_controllen = sizeof(control.room)};
    ssize_t got = receive_one(link, &header);
    pid_t pid;

    if ( got <= 0 )
        return got;
    pid = sender_of(&header);
    link->ready = word == WORD_READY && pid > 0 &&
                  clock_getcpuclockid(pid, &link->clock) == 0;
    setsockopt(link->socket, SOL_SOCKET, SO_PASSCRED, &off, sizeof(off));
    return link->ready ? got : 0;
}

enum link_status process_link_receive(struct process_link *link, void *to,
                                      size_t *size)
{
    struct iovec bytes = {to, *size};
    struct msghdr header = {.msg_iov = &bytes, .msg_iovlen = 1};
    ssize_t got = link->ready ? 1 : receive_ready(link);

    if ( got > 0 )
        got = receive_one(link, &header);
    if ( got < 0 && (errno == EAGAIN || errno == EINTR) )
        return LINK_MORE;
    if ( got <= 0 )
        return link->ready ? LINK_DIED : LINK_NONE;
    *size = (size_t)got;
    return header.msg_flags & MSG_TRUNC ? LINK_DIED : LINK_OK;
}

bool process_link_send(struct process_link *link, const void *from, size_t size)
{
    return send(link->socket, from, size, MSG_DONTWAIT | MSG_NOSIGNAL) ==
           (ssize_t)size;
}
