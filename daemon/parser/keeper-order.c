/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders as packets, which carry descriptors. */
#include <string.h>
#include <sys/socket.h>

#include "keeper-order.h"

/* The numbers of an order; the rest is the packet's. */
struct order_words {
    uint32_t kind, number, count;
};

struct order_packet {
    struct order_words words;
    struct iovec bytes;
    struct msghdr header;
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(KEEPER_FILES_MAX * sizeof(int))];
    } control;
};

static void packet_init(struct order_packet *packet)
{
    memset(packet, 0, sizeof(*packet));
    packet->bytes = (struct iovec){&packet->words, sizeof(packet->words)};
    packet->header.msg_iov = &packet->bytes;
    packet->header.msg_iovlen = 1;
    packet->header.msg_control = packet->control.room;
    packet->header.msg_controllen = sizeof(packet->control.room);
}

static void put_files(struct order_packet *packet,
                      const struct keeper_order *order)
{
    const size_t size = order->count * sizeof(int);
    struct cmsghdr *part = CMSG_FIRSTHDR(&packet->header);

    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(part), order->files, size);
    packet->header.msg_controllen = CMSG_SPACE(size);
}

bool keeper_order_send(int to, const struct keeper_order *order)
{
    struct order_packet packet;

    packet_init(&packet);
    packet.words = (struct order_words){order->kind, order->number,
                                        order->count};
    if ( order->count )
        put_files(&packet, order);
    else
        packet.header.msg_controllen = 0;
    return sendmsg(to, &packet.header, MSG_DONTWAIT | MSG_NOSIGNAL) ==
           sizeof(packet.words);
}

/* Takes the descriptors; there may be fewer than were sent. */
static void get_files(struct order_packet *packet, struct keeper_order *ret)
{
    const struct cmsghdr *part = CMSG_FIRSTHDR(&packet->header);
    size_t size;

    ret->count = 0;
    if ( !part || part->cmsg_level != SOL_SOCKET ||
         part->cmsg_type != SCM_RIGHTS )
        return;
    size = part->cmsg_len - CMSG_LEN(0);
    memcpy(ret->files, CMSG_DATA(part), size);
    ret->count = (uint32_t)(size / sizeof(int));
}

bool keeper_order_receive(int from, struct keeper_order *ret)
{
    struct order_packet packet;

    packet_init(&packet);
    if ( recvmsg(from, &packet.header, MSG_CMSG_CLOEXEC) !=
         sizeof(packet.words) )
        return false;
    *ret = (struct keeper_order){.kind = packet.words.kind,
                                 .number = packet.words.number};
    get_files(&packet, ret);
    /* Descriptors that found no room here. */
    if ( ret->count != packet.words.count )
        ret->kind = ret->kind == KEEPER_END ? KEEPER_END : PROCESS_KINDS;
    return true;
}
