/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long vCPUs waited for a pCPU each time, and who had it. */
#include "tests/harness.h"
#include "trace/latencies.h"

#define US   1000ull
#define IDLE XENOPROF_NOBODY

static struct latencies latencies;
static struct turns turns;

static void change(uint16_t pcpu, uint64_t us, uint16_t domain,
                   enum runstate old, enum runstate new)
{
    const struct traced_change change = {{domain, 0}, old, new};
    struct turn *turn = turns_of(&turns, pcpu);

    CHECK(turn);
    CHECK(latencies_take(&latencies, &change, turn, us * US));
    turns_take(turn, &change);
}

static void begin(void)
{
    latencies_init(&latencies);
}

static void end(void)
{
    latencies_free(&latencies);
    turns_free(&turns);
}

static uint64_t waits(uint16_t domain, enum xenoprof_latency_why why,
                      uint16_t by, uint8_t bucket)
{
    const struct latency_key key = {{domain, 0}, by, (uint8_t)why, bucket};
    const struct latency_sum *sum = table_find(&latencies.sums, &key);

    return sum ? sum->count : 0;
}

static uint64_t all_waits(void)
{
    uint64_t count = 0;

    for ( size_t i = 0; i < latencies.sums.count; i++ )
        count += ((struct latency_sum *)table_at(&latencies.sums, i))->count;
    return count;
}

TEST(who_is_preempted_waits_for_who_takes_its_pcpu)
{
    begin();
    change(1, 0, 5, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    change(1, 10, 5, RUNSTATE_RUNS, RUNSTATE_WAITS);
    change(1, 10, 6, RUNSTATE_WAITS, RUNSTATE_RUNS);
    change(1, 70, 6, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    change(1, 70, 7, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    change(1, 110, 7, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    /* It goes on where another one was. */
    change(2, 110, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    CHECK_EQ(waits(5, XENOPROF_PREEMPTED, 6, 7), 1); /* 100 us */
    CHECK_EQ(all_waits(), 1);
    end();
}

TEST(who_is_woken_waits_for_who_has_the_pcpu_that_it_gets)
{
    begin();
    change(1, 0, 6, RUNSTATE_WAITS, RUNSTATE_RUNS);
    /* The pCPU that wakes it is another one. */
    change(0, 10, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    change(1, 13, 6, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    change(1, 13, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    CHECK_EQ(waits(5, XENOPROF_WOKEN, 6, 2), 1); /* 3 us */
    CHECK_EQ(all_waits(), 1);
    end();
}

TEST(an_idle_pcpu_is_nobodys)
{
    begin();
    change(1, 0, IDLE, RUNSTATE_WAITS, RUNSTATE_RUNS);
    change(0, 10, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    change(1, 10, IDLE, RUNSTATE_RUNS, RUNSTATE_WAITS);
    change(1, 10, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    change(1, 50, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    change(1, 50, IDLE, RUNSTATE_WAITS, RUNSTATE_RUNS);
    CHECK_EQ(waits(5, XENOPROF_WOKEN, IDLE, 0), 1);
    /* The idle vCPU's own waits are none. */
    CHECK_EQ(all_waits(), 1);
    end();
}

TEST(a_wait_whose_beginning_is_not_known_is_not_counted)
{
    begin();
    change(0, 10, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    change(0, 20, 5, RUNSTATE_RUNS, RUNSTATE_WAITS);
    latencies_forget(&latencies);
    change(0, 30, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    /* It was taken out of the queue. */
    change(0, 40, 5, RUNSTATE_RUNS, RUNSTATE_WAITS);
    change(0, 50, 5, RUNSTATE_WAITS, RUNSTATE_IS_OFFLINE);
    change(0, 60, 5, RUNSTATE_IS_OFFLINE, RUNSTATE_RUNS);
    CHECK_EQ(all_waits(), 0);
    end();
}

TEST(buckets_end_at_powers_of_two)
{
    begin();
    for ( uint64_t us = 1; us <= 1ull << 40; us *= 2 )
    {
        change(0, 0, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
        change(0, us - 1, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
        change(0, 0, 6, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
        change(0, us, 6, RUNSTATE_WAITS, RUNSTATE_RUNS);
    }
    for ( uint8_t i = 0; i < XENOPROF_LATENCY_BUCKETS - 1; i++ )
    {
        CHECK_EQ(waits(5, XENOPROF_WOKEN, IDLE, i) +
                     waits(5, XENOPROF_WOKEN, 6, i) +
                     waits(5, XENOPROF_WOKEN, 5, i),
                 1);
    }
    end();
}

TEST(what_was_said_is_given_back)
{
    begin();
    change(0, 0, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    change(0, 9, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    latencies_reported(&latencies);
    CHECK_EQ(all_waits(), 1);
    ((struct latency_sum *)table_at(&latencies.sums, 0))->count = 0;
    latencies_reported(&latencies);
    CHECK_EQ(latencies.sums.count, 0);
    end();
}

/* One that is not said yet does not keep the others. */
TEST(what_was_said_makes_room)
{
    begin();
    for ( uint16_t domain = 5; domain < 9; domain++ )
    {
        change(0, 0, domain, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
        change(0, 9, domain, RUNSTATE_WAITS, RUNSTATE_RUNS);
    }
    for ( size_t i = 0; i < 3; i++ )
        ((struct latency_sum *)table_at(&latencies.sums, i))->count = 0;
    latencies_reported(&latencies);
    CHECK_EQ(latencies.sums.count, 1);
    CHECK_EQ(all_waits(), 1);
    end();
}

/* In days, guests that start again and again have had any number of vCPUs. */
TEST(guests_that_come_later_are_known_as_well)
{
    const struct traced_change old = {{5, 0}, RUNSTATE_SLEEPS, RUNSTATE_WAITS};
    struct turn turn = {.now_known = false};

    begin();
    for ( uint32_t i = 0; i < 70000; i++ )
    {
        struct traced_change change = old;

        change.who = (struct traced_key){(uint16_t)(i % 30000),
                                         (uint16_t)(i / 30000)};
        CHECK(latencies_take(&latencies, &change, &turn, 0));
    }
    change(0, 0, 31000, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    change(0, 9, 31000, RUNSTATE_WAITS, RUNSTATE_RUNS);
    CHECK_EQ(all_waits(), 1);
    end();
}
