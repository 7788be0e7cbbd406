/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of a pCPU: its memory, and where its reader is.
 */
#include "queue.h"

static uint32_t round_up(uint32_t depth)
{
    uint32_t power = 1;

    while ( power < depth )
        power *= 2;
    return power;
}

uint32_t queue_depth_for(uint32_t frequency)
{
    uint32_t depth = frequency / 20 + 1;

    return round_up(depth < QUEUE_DEPTH_MIN ? QUEUE_DEPTH_MIN : depth);
}

bool queue_open(struct queue *queue, unsigned int pcpu, uint32_t depth,
                uint32_t frames)
{
    queue->stride = sizeof(struct queue_entry) + frames * sizeof(uint64_t);
    queue->depth = round_up(depth);
    queue->head = queue->tail = 0;
    queue->entries = port_alloc_near(pcpu, (unsigned long)queue->stride *
                                               queue->depth);
    return queue->entries != NULL;
}

void queue_close(struct queue *queue)
{
    if ( queue->entries )
        port_free_near(queue->entries,
                       (unsigned long)queue->stride * queue->depth);
    queue->entries = NULL;
}

const struct queue_entry *queue_oldest(const struct queue *queue)
{
    /* Acquire, with queue_push(): the entry is read after its index. */
    uint32_t head = __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE);

    return head == queue->tail ? NULL : queue_entry_at(queue, queue->tail);
}

uint32_t queue_length(const struct queue *queue)
{
    /* Acquire, with queue_pop(), keeps the order: tail first, so that the
     * length is never negative. */
    uint32_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);

    /* With queue_push(). */
    return __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE) - tail;
}
