/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that do pieces of work beside the caller's.  One thread gives work
 * and takes it back, and a piece of work may give the next one; what a piece
 * needs and what came of it is in a structure that has a job in it, or led to
 * by that: whoever gives it keeps off all of this between the two.
 */
#ifndef XENOPROF_BASE_WORKERS_H
#define XENOPROF_BASE_WORKERS_H

#include <stdbool.h>

enum job_state { JOB_IDLE, JOB_WAITS, JOB_RUNS, JOB_DONE };

struct job {
    void (*work)(struct job *job);
    struct job *next;     /* the workers' */
    enum job_state state; /* ... JOB_IDLE before the first time */
};

struct workers;

/* Returns how many cores this process may run on, 1 at least. */
unsigned int workers_cores(void);

/* Starts so many threads, or as many as there can be.  Returns NULL if that is
 * none. */
struct workers *workers_start(unsigned int count);
/* Ends them; workers may be NULL.  No job waits or runs. */
void workers_stop(struct workers *workers);

/* The job waits for a thread. */
void workers_give(struct workers *workers, struct job *job);
/* Returns when the job, which was given, is done; the caller does it if no
 * thread has begun it. */
void workers_finish(struct workers *workers, struct job *job);
/* Returns when no thread is at the job and none will be. */
void workers_cancel(struct workers *workers, struct job *job);

#endif
