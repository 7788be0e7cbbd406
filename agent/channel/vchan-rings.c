/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vchan-rings.h"

#include <stdbool.h>
#include <string.h>

static void set(struct vchan_rings *ret, struct vchan_interface *page,
                struct vchan_ring read, struct vchan_ring write,
                const uint8_t *other)
{
    *ret = (struct vchan_rings){
        .page = page, .read = read, .write = write, .other = other};
}

void vchan_rings_of_server(struct vchan_rings *ret,
                           struct vchan_interface *page, void *left,
                           void *right)
{
    set(ret, page, (struct vchan_ring){&page->left, left},
        (struct vchan_ring){&page->right, right}, NULL);
}

void vchan_rings_of_client(struct vchan_rings *ret,
                           struct vchan_interface *page, void *left,
                           void *right)
{
    set(ret, page, (struct vchan_ring){&page->right, right},
        (struct vchan_ring){&page->left, left}, &page->srv_live);
}

static bool other_end_left(const struct vchan_rings *rings)
{
    return rings->other && !__atomic_load_n(rings->other, __ATOMIC_ACQUIRE);
}

static uint32_t load_index(const uint32_t *index)
{
    return __atomic_load_n(index, __ATOMIC_ACQUIRE);
}

static size_t smaller(size_t left, size_t right)
{
    return left < right ? left : right;
}

int vchan_rings_read(struct vchan_rings *rings, void *data, size_t size)
{
    const struct vchan_ring *ring = &rings->read;
    uint32_t from = load_index(&ring->shared->cons);
    uint32_t there = load_index(&ring->shared->prod) - from;
    size_t count = there <= AGENT_VCHAN_RING ? smaller(there, size) : 0;
    size_t at = from % AGENT_VCHAN_RING;
    size_t first = smaller(count, AGENT_VCHAN_RING - at);

    if ( !count )
        return other_end_left(rings) ? -1 : 0;
    memcpy(data, ring->bytes + at, first);
    memcpy((uint8_t *)data + first, ring->bytes, count - first);
    __atomic_store_n(&ring->shared->cons, from + (uint32_t)count,
                     __ATOMIC_RELEASE);
    rings->moved += count;
    return (int)count;
}

int vchan_rings_write(struct vchan_rings *rings, const void *data, size_t size)
{
    const struct vchan_ring *ring = &rings->write;
    uint32_t to = load_index(&ring->shared->prod);
    uint32_t there = to - load_index(&ring->shared->cons);
    size_t count = there <= AGENT_VCHAN_RING
                       ? smaller(AGENT_VCHAN_RING - there, size)
                       : 0;
    size_t at = to % AGENT_VCHAN_RING;
    size_t first = smaller(count, AGENT_VCHAN_RING - at);

    if ( other_end_left(rings) )
        return -1;
    memcpy(ring->bytes + at, data, first);
    memcpy(ring->bytes, (const uint8_t *)data + first, count - first);
    __atomic_store_n(&ring->shared->prod, to + (uint32_t)count,
                     __ATOMIC_RELEASE);
    rings->moved += count;
    return (int)count;
}

void vchan_rings_clear(const struct vchan_rings *rings)
{
    struct ring_shared *in = rings->read.shared;
    struct ring_shared *out = rings->write.shared;

    __atomic_store_n(&in->cons, load_index(&in->prod), __ATOMIC_RELEASE);
    __atomic_store_n(&out->prod, load_index(&out->cons), __ATOMIC_RELEASE);
}
