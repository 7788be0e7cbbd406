/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second half that is held up while stop empties its queue and start begins
 * anew.  The two functions that are wrapped are where the threads wait for each
 * other.
 */
#include <pthread.h>
#include <semaphore.h>

#include "hypervisor/presence.h"
#include "hypervisor/session.h"
#include "sample-kit.h"

static sem_t inside, go_on;
static pthread_t half;
static bool armed; /* the next seal has a half come in */
static __thread bool held;

const struct queue_entry *__real_queue_oldest(const struct queue *queue);
const struct queue_entry *__wrap_queue_oldest(const struct queue *queue);
bool __real_presence_wait(enum presence_half which);
bool __wrap_presence_wait(enum presence_half which);

static void wait_here(void)
{
    held = false;
    sem_post(&inside);
    sem_wait(&go_on);
}

/* A half that looks at the queue before it looks at the seal stands here. */
const struct queue_entry *__wrap_queue_oldest(const struct queue *queue)
{
    const struct queue_entry *entry = __real_queue_oldest(queue);

    if ( held )
        wait_here();
    return entry;
}

static void *late_half(void *argument)
{
    (void)argument;
    held = true;
    process_commit(1);
    /* It saw the seal, and left. */
    if ( held )
        wait_here();
    return NULL;
}

/* Nobody was inside: a half that enters now is not waited for. */
bool __wrap_presence_wait(enum presence_half which)
{
    bool result = __real_presence_wait(which);

    if ( armed && which == PRESENCE_SECOND )
    {
        armed = false;
        CHECK(!pthread_create(&half, NULL, late_half, NULL));
        sem_wait(&inside);
    }
    return result;
}

TEST(half_that_enters_after_the_seal_and_looks_after_the_start)
{
    sem_init(&inside, 0, 0);
    sem_init(&go_on, 0, 0);
    sample_begin();
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    armed = true;
    kit_done("stop");
    CHECK(!armed);
    kit_done("start");
    sem_post(&go_on);
    CHECK(!pthread_join(half, NULL));
    CHECK_EQ(queue_length(&session_pcpu(session_current(), 1)->queue), 0);
    /* Lost once, and not committed as well. */
    kit_done("stop");
    CHECK_EQ(kit_status()->counters.made, 1);
    CHECK_EQ(kit_status()->counters.lost[XENOPROF_LOST_QUEUE], 1);
    CHECK_EQ(kit_status()->counters.committed, 0);
    kit_done("start");
    sample_end();
}
