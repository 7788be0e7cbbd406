/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pCPUs that are threads: they answer NMIs and commit while another thread
 * adds, forgets and releases domains, and one reads.  What the core frees,
 * nobody may still use; no sample is counted twice or not at all.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core-kit.h"
#include "hypervisor/session.h"

#define PLAYERS 3u /* pCPUs 1 to 3; pCPU 0 gives the commands */
#define ROUNDS  100u

static bool over;
static uint64_t samples[PLAYERS + 1]; /* that each has made */

/* The pCPUs' rings. */
static const struct xenoprof_ring_page *rings[PLAYERS + 1];
static uint64_t *consumers[PLAYERS + 1];

static bool is_over(void)
{
    return __atomic_load_n(&over, __ATOMIC_ACQUIRE);
}

/* Acts as the tick: asks, counts, and has the NMI come. */
static void one_sample(unsigned int pcpu, uint64_t number)
{
    struct pcpu *mine = session_pcpu(session_current(), pcpu);

    process_pcpu(pcpu)->current.domain = 5 + number % 4;
    process_pcpu(pcpu)->current.vcpu = pcpu;
    if ( ask_send(&mine->ask, 1, false) != ASK_SEND )
        abort();
    __atomic_store_n(&mine->ticker.due, mine->ticker.due + 1, __ATOMIC_RELAXED);
    if ( !process_interrupt(pcpu, NULL) )
        abort();
    if ( number % 3 )
        process_commit(pcpu);
}

static void *play(void *argument)
{
    unsigned int pcpu = (unsigned long)argument;
    uint64_t number = 0;

    while ( !is_over() )
    {
        one_sample(pcpu, number++);
        __atomic_store_n(&samples[pcpu], number, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* On a busy machine a thread may not have run yet. */
static bool all_have_played(void)
{
    for ( unsigned int i = 1; i <= PLAYERS; i++ )
        if ( !__atomic_load_n(&samples[i], __ATOMIC_RELAXED) )
            return false;
    return true;
}

static void *read_rings(void *argument)
{
    (void)argument;
    while ( !is_over() )
        for ( uint32_t number = 0; number <= PLAYERS; number++ )
            xenoprof_store_consumer(
                consumers[number],
                xenoprof_load_producer(&rings[number]->producer));
    return NULL;
}

/* A thread that does not get to run is a pCPU that does not leave its half:
 * the command says so, and the next one goes on. */
static void forget(unsigned int id)
{
    int error;

    while ( (error = kit_command("forget id=%u", id)) == -16 )
        sched_yield();
    CHECK(error == 0 || error == -2);
    while ( kit_ring_of(XENOPROF_RING_VCPU, id, 1)->state ==
            XENOPROF_RING_OPEN )
        kit_command("forget id=%u", id);
}

static void change_domains(unsigned int round)
{
    unsigned int id = 5 + round % 4;

    CHECK_EQ(kit_command("domain id=%u vcpus=4 uuid=%02x%02x%02x%02x%02x%02x"
                         "%02x%02x%02x%02x%02x%02x%02x%02x%02x%02x "
                         "kind=passive",
                         id, id, id, id, id, id, id, id, id, id, id, id, id, id,
                         id, id, id),
             0);
    for ( unsigned int spin = 0; spin < 2000; spin++ )
        __builtin_ia32_pause();
    forget(id);
    for ( uint32_t number = 4; number < kit_status()->rings; number++ )
        while ( kit_ring_page(number) )
            kit_command("release ring=%u", number);
}

static void begin(void)
{
    process_reset(PLAYERS + 1);
    for ( unsigned int i = 1; i <= PLAYERS; i++ )
    {
        process_set_current(i, 5, i);
        process_pcpu(i)->hold_nmis = true;
        process_pcpu(i)->hold_softirqs = true;
    }
    kit_done("reserve sampler=nmi frequency=1 mask=3 pages=4 queue=0 "
             "lease=0 budget=0");
    kit_done("start");
    for ( uint32_t number = 0; number <= PLAYERS; number++ )
    {
        rings[number] = kit_ring_page(number);
        consumers[number] = kit_consumer(number);
    }
}

TEST(threads_commit_while_domains_come_and_go)
{
    pthread_t threads[PLAYERS], reader;
    uint64_t sum = 0;

    begin();
    for ( unsigned long i = 0; i < PLAYERS; i++ )
        CHECK(!pthread_create(&threads[i], NULL, play, (void *)(i + 1)));
    CHECK(!pthread_create(&reader, NULL, read_rings, NULL));
    for ( unsigned int round = 0; round < ROUNDS || !all_have_played();
          round++ )
        change_domains(round);
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    for ( unsigned int i = 0; i < PLAYERS; i++ )
        CHECK(!pthread_join(threads[i], NULL));
    CHECK(!pthread_join(reader, NULL));
    for ( unsigned int i = 1; i <= PLAYERS; i++ )
        process_commit(i);
    kit_done("stop");
    kit_check_sums();
    for ( unsigned int i = 1; i <= PLAYERS; i++ )
    {
        sum += samples[i];
        CHECK_EQ(process_pcpu(i)->nmis_passed, 0);
    }
    CHECK_EQ(kit_status()->counters.made, sum);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}
