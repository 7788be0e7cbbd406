/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file-packet.h"

#include <string.h>
#include <sys/socket.h>

struct packet {
    struct iovec bytes;
    struct msghdr header;
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(PACKET_FILES_MAX * sizeof(int))];
    } control;
};

static void packet_init(struct packet *packet, const void *bytes, size_t size)
{
    memset(packet, 0, sizeof(*packet));
    packet->bytes = (struct iovec){(void *)(size_t)bytes, size};
    packet->header.msg_iov = &packet->bytes;
    packet->header.msg_iovlen = 1;
    packet->header.msg_control = packet->control.room;
    packet->header.msg_controllen = sizeof(packet->control.room);
}

bool file_packet_send(int to, const void *bytes, size_t size, const int *files,
                      unsigned int count)
{
    struct packet packet;

    packet_init(&packet, bytes, size);
    if ( count )
    {
        const size_t length = count * sizeof(int);
        struct cmsghdr *part = CMSG_FIRSTHDR(&packet.header);

        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(length);
        memcpy(CMSG_DATA(part), files, length);
        packet.header.msg_controllen = CMSG_SPACE(length);
    }
    else
        packet.header.msg_controllen = 0;
    return sendmsg(to, &packet.header, MSG_DONTWAIT | MSG_NOSIGNAL) ==
           (ssize_t)size;
}

bool file_packet_receive(int from, void *bytes, size_t size,
                         int files[PACKET_FILES_MAX], unsigned int *count)
{
    const struct cmsghdr *part;
    struct packet packet;

    packet_init(&packet, bytes, size);
    if ( recvmsg(from, &packet.header, MSG_CMSG_CLOEXEC) != (ssize_t)size )
        return false;
    *count = 0;
    part = CMSG_FIRSTHDR(&packet.header);
    if ( part && part->cmsg_level == SOL_SOCKET &&
         part->cmsg_type == SCM_RIGHTS )
    {
        size_t length = part->cmsg_len - CMSG_LEN(0);

        memcpy(files, CMSG_DATA(part), length);
        *count = (unsigned int)(length / sizeof(int));
    }
    return true;
}
