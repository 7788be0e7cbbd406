/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the reader is woken for records that have waited, also where a second
 * half and the tick that wakes the reader run at the same time.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "hypervisor/session.h"
#include "hypervisor/wake.h"
#include "life-kit.h"

#define ROUNDS 30000u

TEST(reader_is_woken_when_a_record_is_old)
{
    life_begin("frequency=1 pages=256 lease=0 budget=0");
    process_set_idle(0);
    kit_done("start");
    CHECK_EQ(process_host()->wakes, 0);
    /* A lone sample, and nothing more. */
    while ( !kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->producer )
        life_run(1);
    process_set_idle(1);
    life_run(3000);
    CHECK_EQ(process_host()->wakes, 1);
    life_run(10000);
    CHECK_EQ(process_host()->wakes, 1);
    kit_done("stop");
}

TEST(reader_is_woken_ten_times_a_second_at_most_by_age)
{
    life_begin("frequency=1000 pages=256 lease=0 budget=0");
    kit_done("start");
    for ( int i = 0; i < 100; i++ )
    {
        life_run(100);
        kit_drain_all(&life_read);
    }
    CHECK(process_host()->wakes > 80);
    CHECK(process_host()->wakes <= 100);
    kit_done("stop");
}

TEST(reader_is_woken_at_half_a_ring)
{
    life_begin("frequency=1000 pages=1 lease=0 budget=0");
    process_set_idle(0);
    kit_done("start");
    life_run(9);
    CHECK_EQ(process_host()->wakes, 0);
    life_run(8);
    CHECK(process_host()->wakes > 0);
    /* Full, and nobody reads: not more often than each 2 ms. */
    life_run(1000);
    CHECK(process_host()->wakes < 520);
    kit_done("stop");
    kit_check_sums();
}

static void begin(unsigned int pcpus)
{
    process_reset(pcpus);
    for ( unsigned int i = 1; i < pcpus; i++ )
        process_set_current(i, 5, i);
    kit_done("reserve sampler=nmi frequency=1 mask=0 pages=4 queue=0 "
             "lease=0 budget=0");
    kit_done("start");
    process_host()->hooked = false;
}

/* As a tick asks for one. */
static void sample(unsigned int pcpu)
{
    struct pcpu *mine = session_pcpu(session_current(), pcpu);

    if ( ask_send(&mine->ask, process_now(), false) != ASK_SEND ||
         !process_interrupt(pcpu, NULL) )
        abort();
    process_commit(pcpu);
}

static bool wanted(void)
{
    return session_current()->wake.wanted;
}

TEST(wake_for_the_oldest_record)
{
    uint64_t first;

    begin(3);
    wake_look(session_current(), process_now() + 10 * KIT_SECOND);
    CHECK(!wanted());
    first = process_now();
    sample(1);
    process_pass(60 * KIT_MILLISECOND);
    sample(2);
    wake_look(session_current(), first + WAKE_AGE - 1);
    CHECK(!wanted());
    wake_look(session_current(), first + WAKE_AGE);
    CHECK(wanted());
    /* One event is for all records, */
    session_current()->wake.wanted = 0;
    wake_look(session_current(), first + 10 * KIT_SECOND);
    CHECK(!wanted());
    /* and the next one counts from the next record. */
    process_pass(KIT_SECOND);
    sample(1);
    wake_look(session_current(), process_now() + WAKE_AGE - 1);
    CHECK(!wanted());
    wake_look(session_current(), process_now() + WAKE_AGE);
    CHECK(wanted());
}

/* Two threads that begin each round together. */
static unsigned int round_of[2];

static void meet(unsigned int me, unsigned int round)
{
    unsigned int spins = 0;

    __atomic_store_n(&round_of[me], round, __ATOMIC_SEQ_CST);
    while ( __atomic_load_n(&round_of[!me], __ATOMIC_ACQUIRE) < round )
        if ( ++spins % 4096 == 0 )
            sched_yield();
        else
            __builtin_ia32_pause();
}

static void *commit_in_each_round(void *argument)
{
    (void)argument;
    for ( unsigned int round = 1; round <= 2 * ROUNDS; round++ )
    {
        meet(0, round);
        /* Without waiting for it when it looks. */
        __atomic_load_n(&session_current()->wake.oldest, __ATOMIC_RELAXED);
        if ( round % 2 )
            sample(1);
    }
    return NULL;
}

/*
 * Each round begins with a record that waits.  While pCPU 1 writes another one,
 * the reader is woken and looks: it finds the new record, or another event will
 * come for that.  The two sides meet at a slightly different point each time.
 */
TEST(wake_does_not_miss_a_record)
{
    struct wake *wake;
    const struct xenoprof_ring_page *ring;
    uint64_t *consumer;
    pthread_t other;
    unsigned int missed = 0;

    begin(2);
    wake = &session_current()->wake;
    ring = kit_ring_of(XENOPROF_RING_PCPU, 0, 1);
    consumer = kit_consumer(ring->ring);
    CHECK(!pthread_create(&other, NULL, commit_in_each_round, NULL));
    for ( unsigned int round = 0; round < ROUNDS; round++ )
    {
        uint64_t seen;

        wake->oldest = 1;
        meet(1, 2 * round + 1);
        for ( unsigned int spin = 0; spin < round % 4096; spin++ )
            asm volatile("");
        wake_look(session_current(), 10 * KIT_SECOND);
        seen = xenoprof_load_producer(&ring->producer);
        meet(1, 2 * round + 2);
        missed += !wake->oldest && seen != ring->producer;
        xenoprof_store_consumer(consumer, ring->producer);
    }
    CHECK(!pthread_join(other, NULL));
    CHECK_EQ(missed, 0);
    kit_done("stop");
}
