/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pCPU's queue between the two halves of a sample.
 *
 * The first half (NMI) writes, the second (softirq of the same pCPU) reads;
 * an NMI may come between any two instructions of the second.  Entries hold
 * ids, never pointers to anything that may go away.
 *
 * It is a ring.  The pairs of acquire and release keep the compiler from moving
 * accesses to an entry across the index that hands it over.
 */
#ifndef XENOPROF_HYPERVISOR_QUEUE_H
#define XENOPROF_HYPERVISOR_QUEUE_H

#include "port.h"

#define QUEUE_DEPTH_MIN 32u
#define QUEUE_DEPTH_MAX 1024u

struct queue_entry {
    uint64_t ticks;          /* port_ticks() */
    struct port_state at;    /* what was interrupted */
    struct port_state guest; /* where the guest was, if Xen was interrupted */
    struct xenoprof_entry entry; /* why it had entered Xen, if that is known */
    uint32_t marks;
    uint32_t period;
    uint16_t domain;
    uint16_t vcpu;
    uint8_t idle;
    uint8_t weight;
    uint8_t has_guest; /* guest is filled in */
    uint8_t frames;    /* of Xen's stack, in frame[] */
    uint8_t event;     /* of a session by events: which, */
    uint64_t count;    /* how many it stands for, */
    uint64_t precise;  /* and where exactly; 0: not known */
    uint64_t frame[];  /* room for as many as queue_open() was given */
};

struct queue {
    unsigned char *entries;
    uint32_t stride; /* bytes of an entry with its frames */
    uint32_t depth;  /* a power of two */
    uint32_t head;   /* free-running; written by the first half */
    uint32_t tail;   /* free-running; written by the second half */
};

/* Returns how many entries hold 50 ms at this frequency: a power of two, at
 * least QUEUE_DEPTH_MIN. */
uint32_t queue_depth_for(uint32_t frequency);

/* Allocates depth entries near the pCPU, rounded up to a power of two, with
 * room for so many frames each.  Returns false without memory. [command] */
bool queue_open(struct queue *queue, unsigned int pcpu, uint32_t depth,
                uint32_t frames);
void queue_close(struct queue *queue);

/* Returns the entry at an index, which is free-running. [nmi] */
static inline struct queue_entry *queue_entry_at(const struct queue *queue,
                                                 uint32_t index)
{
    unsigned long slot = index & (queue->depth - 1);

    return (struct queue_entry *)(queue->entries + slot * queue->stride);
}

/* Returns the entry to fill in, or NULL if the queue is full.  First half
 * only. [nmi] */
static inline struct queue_entry *queue_slot(struct queue *queue)
{
    /* Acquire, with queue_pop(): without it, the entry could be overwritten
     * while the reader still uses it. */
    uint32_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);

    if ( queue->head - tail >= queue->depth )
        return NULL;
    return queue_entry_at(queue, queue->head);
}

/* Returns the entry that was handed over last, or NULL if the reader is done
 * with all.  First half only. [nmi] */
static inline const struct queue_entry *queue_newest(const struct queue *queue)
{
    /* The reader does not run, and so gives nothing back, while the writer
     * looks: the order is that of queue_slot(). */
    uint32_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);

    return queue->head == tail ? NULL : queue_entry_at(queue, queue->head - 1);
}

/* Hands that entry to the reader.  First half only. [nmi] */
static inline void queue_push(struct queue *queue)
{
    /* Release, with queue_oldest(): without it, the reader could see an entry
     * that is half filled in. */
    __atomic_store_n(&queue->head, queue->head + 1, __ATOMIC_RELEASE);
}

/* Returns the oldest entry, or NULL if the queue is empty.  Second half
 * only. [soft] */
const struct queue_entry *queue_oldest(const struct queue *queue);

/* Gives that entry back to the writer.  Second half only. [soft] */
static inline void queue_pop(struct queue *queue)
{
    /* Release, with queue_slot(): all reads of the entry are done. */
    __atomic_store_n(&queue->tail, queue->tail + 1, __ATOMIC_RELEASE);
}

/* Returns the number of entries, which may be out of date at once. */
uint32_t queue_length(const struct queue *queue);

#endif
