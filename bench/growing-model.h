/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up call stacks of which new ones appear as often as in recordings of the
 * lab's demo: bench/README.md compares them.
 *
 * Code is a random call graph for each mode; a stack is a walk through one of
 * these graphs, in which some ways are taken more often than others.  The same
 * calls give the same stacks in each process.
 */
#ifndef XENOPROF_BENCH_GROWING_MODEL_H
#define XENOPROF_BENCH_GROWING_MODEL_H

#include <libxenoprof.h>

#define GROWING_DEPTH     24u  /* frames of one mode at most */
#define GROWING_FUNCTIONS 250u /* of each mode */
#define GROWING_NAME      48u

struct growing_frame {
    uint64_t address;
    uint64_t start; /* of its function */
    uint16_t function;
    uint8_t mode; /* a process's functions have no names */
};

struct growing_stack {
    struct growing_frame frames[2 * GROWING_DEPTH]; /* root first */
    size_t count;
};

/* Returns a random number below a bound. */
uint64_t growing_draw(uint64_t below);
/* The same, low ones more often than others. */
unsigned int growing_draw_ranked(unsigned int below);
/* Returns half the time Xen, a third of it kernels, else processes. */
uint8_t growing_draw_mode(void);
/* Draws the stack of a sample in mode. */
void growing_draw_stack(uint8_t mode, struct growing_stack *ret);
/* Draws one of Xen or of a kernel that is so deep; deep <= GROWING_DEPTH. */
void growing_draw_walk(uint8_t mode, unsigned int deep,
                       struct growing_stack *ret);

/* The frame of a function at its start; function < GROWING_FUNCTIONS. */
struct growing_frame growing_function(uint8_t mode, uint16_t function);
/* The name of a frame's function. */
void growing_name(const struct growing_frame *frame, char ret[GROWING_NAME]);
/* Returns the number of a frame in a session that is written.  Exits with the
 * writer's sentence if it cannot. */
uint32_t growing_place(struct xenoprof_handle *handle,
                       struct xenoprof_writer *writer, uint16_t domain,
                       const struct growing_frame *frame);

#endif
