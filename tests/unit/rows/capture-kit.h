/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of a running program, as Xen would find them: registers and a window,
 * taken by ptrace(2); and what the program has mapped.
 */
#ifndef XENOPROF_TESTS_CAPTURE_KIT_H
#define XENOPROF_TESTS_CAPTURE_KIT_H

#include <sys/types.h>

#include "rows/user-walk.h"

struct captured_stack {
    bool in_kernel; /* in a system call, not in its own code */
    struct xenoprof_registers registers;
    uint64_t ip;
    uint64_t address; /* of the window */
    size_t length;
    uint8_t *bytes;
};

/* A mapping of a file, or of none, if path is empty. */
struct captured_mapping {
    struct user_mapping mapping;
    uint64_t offset;
    char path[256];
};

struct captured_space {
    pid_t pid;
    struct user_space *space;
    struct captured_mapping *mappings;
    size_t count;
    struct row_table **tables; /* of each mapping; NULL: none */
};

/* Starts a program, which stops in its first instruction.  Returns its pid, or
 * -1. */
pid_t capture_program(char **arguments);
/* Each continues the stopped program, with a signal unless that is 0, and waits
 * until it stops again: after an instruction, or at a breakpoint of its own (or
 * a signal, which it does not get).  Returns the signal, or 0 if the program
 * has ended. */
int capture_step(pid_t pid, int signal);
int capture_run(pid_t pid);
/* Continues it, and stops it after so many microseconds; signals are its own.
 * Returns false if it has ended. */
bool capture_run_for(pid_t pid, unsigned int microseconds);
/* Stops the first thread of a program that runs. */
bool capture_attach(pid_t pid);

/* What it has mapped now.  Returns false if that cannot be found out. */
bool capture_space(struct captured_space *space, pid_t pid);
/* The mapping of this number has these rows from its first byte on; they are
 * the space's. */
bool capture_space_bind(struct captured_space *space, size_t number,
                        struct row_table *rows);
void capture_space_free(struct captured_space *space);

/* Its stack now: at most size bytes from USER_RED_ZONE below its stack pointer.
 * The bytes are the caller's, to be freed. */
bool capture_stack(struct captured_stack *stack, pid_t pid, size_t size);

void capture_walk(const struct captured_stack *stack,
                  const struct captured_space *space, struct row_cache *cache,
                  struct user_chain *ret);

#endif
