/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of jobs under one lock: they are few, and each takes long. */
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#define STACK_SIZE (1u << 20) /* zstd's unpacking takes some KiB */

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job waits, one is done, or it is the end */
    struct job *first, **end;
    bool ending;
    unsigned int count;
    pthread_t threads[];
};

unsigned int workers_cores(void)
{
    cpu_set_t cores;

    if ( sched_getaffinity(0, sizeof(cores), &cores) )
        return 1;
    return (unsigned int)CPU_COUNT(&cores);
}

/* Takes it out of the queue. */
static void begin_job(struct workers *workers, struct job *job)
{
    struct job **at = &workers->first;

    while ( *at != job )
        at = &(*at)->next;
    *at = job->next;
    if ( !*at )
        workers->end = at;
    job->state = JOB_RUNS;
}

static void do_job(struct workers *workers, struct job *job)
{
    begin_job(workers, job);
    pthread_mutex_unlock(&workers->lock);
    job->work(job);
    pthread_mutex_lock(&workers->lock);
    job->state = JOB_DONE;
    pthread_cond_broadcast(&workers->changed);
}

static void *run_worker(void *of)
{
    struct workers *workers = of;

    pthread_mutex_lock(&workers->lock);
    while ( !workers->ending )
        if ( workers->first )
            do_job(workers, workers->first);
        else
            pthread_cond_wait(&workers->changed, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* Signals are for the thread that there was before. */
static void start_threads(struct workers *workers, unsigned int count)
{
    pthread_attr_t attributes;
    sigset_t all, before;

    sigfillset(&all);
    if ( pthread_attr_init(&attributes) )
        return;
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while ( workers->count < count &&
            !pthread_create(&workers->threads[workers->count], &attributes,
                            run_worker, workers) )
        workers->count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

struct workers *workers_start(unsigned int count)
{
    struct workers *workers = calloc(1, sizeof(*workers) +
                                            count * sizeof(pthread_t));

    if ( !workers )
        return NULL;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->changed, NULL);
    workers->end = &workers->first;
    start_threads(workers, count);
    if ( workers->count )
        return workers;
    workers_stop(workers);
    return NULL;
}

void workers_stop(struct workers *workers)
{
    if ( !workers )
        return;
    pthread_mutex_lock(&workers->lock);
    workers->ending = true;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
    for ( unsigned int i = 0; i < workers->count; i++ )
        pthread_join(workers->threads[i], NULL);
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->lock);
    free(workers);
}

void workers_give(struct workers *workers, struct job *job)
{
    pthread_mutex_lock(&workers->lock);
    job->state = JOB_WAITS;
    job->next = NULL;
    *workers->end = job;
    workers->end = &job->next;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
}

static void wait_for_job(struct workers *workers, const struct job *job)
{
    while ( job->state == JOB_RUNS )
        pthread_cond_wait(&workers->changed, &workers->lock);
}

void workers_finish(struct workers *workers, struct job *job)
{
    pthread_mutex_lock(&workers->lock);
    if ( job->state == JOB_WAITS )
        do_job(workers, job);
    wait_for_job(workers, job);
    pthread_mutex_unlock(&workers->lock);
}

void workers_cancel(struct workers *workers, struct job *job)
{
    pthread_mutex_lock(&workers->lock);
    if ( job->state == JOB_WAITS )
        begin_job(workers, job);
    else
        wait_for_job(workers, job);
    job->state = JOB_IDLE;
    pthread_mutex_unlock(&workers->lock);
}
