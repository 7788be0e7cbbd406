/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of a pCPU: a ring with one writer and one reader.
 *
 * Both run on the same pCPU, and an NMI interrupts the reader anywhere; so the
 * pairs of acquire and release keep the compiler from moving accesses to an
 * entry across the index that hands it over.
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

static struct queue_entry *entry_at(const struct queue *queue, uint32_t index)
{
    unsigned long slot = index & (queue->depth - 1);

    return (struct queue_entry *)(queue->entries + slot * queue->stride);
}

struct queue_entry *queue_slot(struct queue *queue)
{
    /* Acquire, with queue_pop(): without it, the entry could be overwritten
     * while the reader still uses it. */
    uint32_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);

    if ( queue->head - tail >= queue->depth )
        return NULL;
    return entry_at(queue, queue->head);
}

const struct queue_entry *queue_newest(const struct queue *queue)
{
    /* The reader does not run, and so gives nothing back, while the writer
     * looks: the order is that of queue_slot(). */
    uint32_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);

    return queue->head == tail ? NULL : entry_at(queue, queue->head - 1);
}

void queue_push(struct queue *queue)
{
    /* Release, with queue_oldest(): without it, the reader could see an entry
     * that is half filled in. */
    __atomic_store_n(&queue->head, queue->head + 1, __ATOMIC_RELEASE);
}

const struct queue_entry *queue_oldest(const struct queue *queue)
{
    /* Acquire, with queue_push(): the entry is read after its index. */
    uint32_t head = __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE);

    return head == queue->tail ? NULL : entry_at(queue, queue->tail);
}

void queue_pop(struct queue *queue)
{
    /* Release, with queue_slot(): all reads of the entry are done. */
    __atomic_store_n(&queue->tail, queue->tail + 1, __ATOMIC_RELEASE);
}

uint32_t queue_length(const struct queue *queue)
{
    /* Acquire, with queue_pop(), keeps the order: tail first, so that the
     * length is never negative. */
    uint32_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);

    /* With queue_push(). */
    return __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE) - tail;
}
