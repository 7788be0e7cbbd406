/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper-order.h"

#include "file-packet.h"

_Static_assert(KEEPER_FILES_MAX <= PACKET_FILES_MAX, "they find room");

/* The numbers of an order; the rest is the packet's. */
struct order_words {
    uint32_t kind, number, count;
};

bool keeper_order_send(int to, const struct keeper_order *order)
{
    const struct order_words words = {order->kind, order->number, order->count};

    return file_packet_send(to, &words, sizeof(words), order->files,
                            order->count);
}

bool keeper_order_receive(int from, struct keeper_order *ret)
{
    struct order_words words;
    int files[PACKET_FILES_MAX];
    unsigned int count;

    if ( !file_packet_receive(from, &words, sizeof(words), files, &count) )
        return false;
    *ret = (struct keeper_order){
        .kind = words.kind, .number = words.number, .count = count};
    for ( unsigned int i = 0; i < count; i++ )
        ret->files[i] = files[i];
    /* Descriptors that found no room here. */
    if ( ret->count != words.count )
        ret->kind = ret->kind == KEEPER_END ? KEEPER_END : PROCESS_KINDS;
    return true;
}
