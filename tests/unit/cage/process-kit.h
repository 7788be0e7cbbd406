/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parser processes for tests, of two sorts: played by the test itself, which
 * then says what it likes to the daemon's side; or forked, with any act.
 */
#ifndef XENOPROF_TESTS_UNIT_CAGE_PROCESS_KIT_H
#define XENOPROF_TESTS_UNIT_CAGE_PROCESS_KIT_H

#include <sys/types.h>

#include "daemon/parser/batch.h"
#include "cage/process-maker.h"

struct played_process {
    struct process_order order; /* with files of its own */
    int socket;                 /* -1: it is gone */
    bool refuses;               /* to make one */
    unsigned int made, ended;
    uint8_t *area; /* of a walker, of either sort */
};

/* One process at a time. */
struct process_maker played_maker(struct played_process *played);
/* It goes, like a process that crashed. */
void played_leave(struct played_process *played);
void played_say(const struct played_process *played, const void *bytes,
                size_t size);
void played_say_ready(const struct played_process *played);
/* Returns the size of the next packet, or 0 if there is none. */
size_t played_hear(const struct played_process *played, void *to, size_t size);

/* Processes that were forked. */
struct forked_processes {
    process_act act;
    pid_t pids[8]; /* by number; 0: there is none */
    unsigned int made;
};

struct process_maker forking_maker(struct forked_processes *forked);

/* What a forked process does first, if its act is the test's own: its socket is
 * where a parser process has it, and it has said that it is ready.  Returns
 * false if nobody is there. */
bool forked_begin(int socket);

/* What a forked process may do for ever. */
void process_idle(void); /* without CPU time */
void process_burn(void); /* with it */

#endif
