/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a flow that are to be visited, and the functions that
 * they belong to.
 *
 * A function is identified by its first instruction, and owns the instructions
 * that its flow reaches.  Functions that share code return together, and form a
 * ring.
 */
#ifndef XENOPROF_MODULE_UNWIND_FLOW_NODES_H
#define XENOPROF_MODULE_UNWIND_FLOW_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_node {
    uint32_t owner;  /* of an instruction; NOWHERE if it is not reached */
    uint32_t ring;   /* of a function: the next one in its ring */
    uint32_t first;  /* of a function: the first that waits for its return */
    uint32_t waits;  /* of an instruction: the next that waits likewise */
    uint32_t next;   /* the next in the queue */
    uint32_t parent; /* of a function: towards the root of its ring */
    bool returns;    /* of a function */
    bool waiting;
    bool queued;
};

struct flow_nodes {
    struct flow_node *list; /* one for each instruction */
    uint32_t head, tail;    /* of the queue; head NOWHERE: it is empty */
};

/* Returns 0 or -ENOMEM; no instruction has an owner, the queue is empty. */
int flow_nodes_open(struct flow_nodes *flow, size_t count);
void flow_nodes_close(struct flow_nodes *flow);

/* Puts an instruction at the end of the queue, unless it is in it. */
void flow_enqueue(struct flow_nodes *flow, uint32_t insn);
/* Takes the first instruction off the queue, which is not empty. */
uint32_t flow_dequeue(struct flow_nodes *flow);

/* Returns whether a function is known to return. */
bool flow_returns(struct flow_nodes *flow, uint32_t function);
/* The function that owns an instruction returns: what waited is enqueued. */
void flow_comes_back(struct flow_nodes *flow, uint32_t insn);
/* Enqueues insn when function is found to return. */
void flow_wait(struct flow_nodes *flow, uint32_t insn, uint32_t function);
/* Two functions reach the same instruction. */
void flow_unite(struct flow_nodes *flow, uint32_t one, uint32_t other);

#endif
