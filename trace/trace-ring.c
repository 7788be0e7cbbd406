/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of one pCPU's trace buffer. */
#include <string.h>

#include "trace-ring.h"

enum { MARK_READER, MARK_XEN, MARKS };

/* A record begins with its number, how many words it has, and whether the time
 * stamp counter stands before them. */
#define NUMBER_MASK 0x0fffffffu
#define WORDS(head) ((head) >> 28 & 7)
#define TIMED       0x80000000u

static uint32_t mark(const struct trace_ring *ring, unsigned int which)
{
    return __atomic_load_n(&ring->marks[which], __ATOMIC_ACQUIRE);
}

bool trace_ring_open(struct trace_ring *ring, uint16_t pcpu, void *memory,
                     size_t size)
{
    size_t head = MARKS * sizeof(uint32_t);

    if ( size <= head || size > UINT32_MAX / 2 || size % sizeof(uint32_t) )
        return false;
    *ring = (struct trace_ring){
        .marks = memory,
        .data = (const uint8_t *)memory + head,
        .size = (uint32_t)(size - head),
        .pcpu = pcpu,
    };
    ring->at = mark(ring, MARK_XEN);
    if ( ring->at >= 2 * ring->size || ring->at % sizeof(uint32_t) )
        return false;
    trace_ring_release(ring);
    return true;
}

/* Returns how many bytes there are, or more than there can be. */
static uint32_t filled(const struct trace_ring *ring)
{
    uint32_t to = mark(ring, MARK_XEN);

    if ( to >= 2 * ring->size || to % sizeof(uint32_t) )
        return UINT32_MAX;
    return to >= ring->at ? to - ring->at : to + 2 * ring->size - ring->at;
}

static uint32_t offset(const struct trace_ring *ring)
{
    return ring->at >= ring->size ? ring->at - ring->size : ring->at;
}

static void take_ring_record(const struct trace_ring *ring,
                             struct trace_event *ret)
{
    const uint8_t *at = ring->data + offset(ring);
    uint32_t head;

    memcpy(&head, at, sizeof(head));
    at += sizeof(head);
    *ret = (struct trace_event){
        .number = head & NUMBER_MASK,
        .pcpu = ring->pcpu,
        .words = WORDS(head),
    };
    if ( head & TIMED )
    {
        memcpy(&ret->tsc, at, sizeof(ret->tsc));
        at += sizeof(ret->tsc);
    }
    memcpy(ret->word, at, ret->words * sizeof(uint32_t));
}

/* Goes on where Xen is. */
static enum trace_result skip_to_xen(struct trace_ring *ring)
{
    uint32_t to = mark(ring, MARK_XEN);

    if ( to < 2 * ring->size && to % sizeof(uint32_t) == 0 )
        ring->at = to;
    trace_ring_release(ring);
    return TRACE_BROKEN;
}

enum trace_result trace_ring_next(struct trace_ring *ring,
                                  struct trace_event *ret)
{
    uint32_t left, bytes, head;

    do
    {
        left = filled(ring);
        if ( left == 0 )
            return TRACE_EMPTY;
        if ( left > ring->size )
            return skip_to_xen(ring);
        memcpy(&head, ring->data + offset(ring), sizeof(head));
        bytes = (1 + (head & TIMED ? 2 : 0) + WORDS(head)) *
                (uint32_t)sizeof(uint32_t);
        if ( bytes > left || bytes > ring->size - offset(ring) )
            return skip_to_xen(ring);
        take_ring_record(ring, ret);
        ring->at += bytes;
        if ( ring->at >= 2 * ring->size )
            ring->at -= 2 * ring->size;
    } while ( ret->number == TRACE_WRAP );
    return TRACE_TAKEN;
}

bool trace_ring_is_shared(const struct trace_ring *ring)
{
    return mark(ring, MARK_READER) != ring->reported;
}

void trace_ring_release(struct trace_ring *ring)
{
    ring->reported = ring->at;
    __atomic_store_n(&ring->marks[MARK_READER], ring->at, __ATOMIC_RELEASE);
}
