/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that work beside a test, which waits for them without a sleep. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "base/workers.h"
#include "tests/harness.h"

#define JOBS 100u

struct adding {
    struct job job;
    uint64_t upto, ret;
    pthread_t by;
};

static void add_up(struct job *job)
{
    struct adding *sum = (struct adding *)job;

    sum->ret = 0;
    for ( uint64_t i = 1; i <= sum->upto; i++ )
        sum->ret += i;
    sum->by = pthread_self();
}

TEST(each_job_is_done_once_it_is_finished)
{
    static struct adding sums[JOBS];
    struct workers *workers = workers_start(3);

    CHECK(workers);
    for ( unsigned int turn = 0; turn < 20; turn++ )
    {
        for ( unsigned int i = 0; i < JOBS; i++ )
        {
            sums[i] = (struct adding){.job.work = add_up,
                                      .upto = turn * JOBS + i};
            workers_give(workers, &sums[i].job);
        }
        for ( unsigned int i = 0; i < JOBS; i++ )
        {
            workers_finish(workers, &sums[i].job);
            CHECK_EQ(sums[i].ret, sums[i].upto * (sums[i].upto + 1) / 2);
        }
    }
    workers_stop(workers);
}

/* A thread that is at it until it may go on. */
struct gate {
    struct job job;
    sem_t begun, open;
    bool blocked; /* it takes no signals */
};

static void wait_at(struct job *job)
{
    struct gate *gate = (struct gate *)job;
    sigset_t blocked;

    CHECK(!pthread_sigmask(SIG_SETMASK, NULL, &blocked));
    gate->blocked = sigismember(&blocked, SIGINT) &&
                    sigismember(&blocked, SIGWINCH);
    CHECK(!sem_post(&gate->begun));
    CHECK(!sem_wait(&gate->open));
}

static void close_gate(struct gate *gate)
{
    *gate = (struct gate){.job.work = wait_at};
    CHECK(!sem_init(&gate->begun, 0, 0));
    CHECK(!sem_init(&gate->open, 0, 0));
}

TEST(a_thread_works_while_the_caller_does_what_nobody_has_begun)
{
    struct workers *workers = workers_start(1);
    struct adding sum = {.job.work = add_up, .upto = 4}, never = sum;
    struct gate gate;

    CHECK(workers);
    close_gate(&gate);
    workers_give(workers, &gate.job);
    CHECK(!sem_wait(&gate.begun));
    CHECK(gate.blocked);
    workers_give(workers, &never.job);
    workers_give(workers, &sum.job);
    workers_finish(workers, &sum.job);
    CHECK_EQ(sum.ret, 10);
    CHECK(pthread_equal(sum.by, pthread_self()));
    workers_cancel(workers, &never.job);
    CHECK(!sem_post(&gate.open));
    workers_cancel(workers, &gate.job);
    CHECK_EQ(never.ret, 0);
    workers_stop(workers);
}

TEST(there_is_a_core_and_no_workers_are_none)
{
    CHECK(workers_cores() >= 1);
    CHECK(!workers_start(0));
    workers_stop(NULL);
}
