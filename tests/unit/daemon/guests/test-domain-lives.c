/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session in which many domains came, were sampled and went, each with two
 * rings: the memory that xenoprofd has taken with malloc(), and the CPU time of
 * a round in which nothing happens, after 100 lives and at the end.
 *
 *   DOMAIN_LIVES=10000 test-domain-lives
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "tests/unit/daemon/guests/lives-kit.h"

#define FIRST      100u
#define ROUNDS     200u
#define LIVES      1000u
#define LIFE_BYTES 512u
#define NUMBERS    30000u /* of domains, which are given again */

static struct lives lives;

struct life_cost {
    size_t bytes;
    double round; /* us */
    size_t rings;
};

/* In processes only: no kernel is looked for. */
static void live(unsigned int number)
{
    size_t person = number % 2 ? lives_born(&lives, false) : 0;
    struct living *guest = lives_come(
        &lives, person, (uint16_t)(10 + number % NUMBERS), 'x', 2);

    guest->manner = MANNER_PROCESS;
    lives_pass(&lives, 10 * MILLISECONDS);
    lives_pass(&lives, 20 * MILLISECONDS);
    lives_go(&lives, guest);
    lives_pass(&lives, 10 * MILLISECONDS);
    lives_pass(&lives, 10 * MILLISECONDS);
}

static uint64_t round_of(void)
{
    struct recording_kit *kit = &lives.kit;
    uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);

    if ( recording_poll(&kit->recording, &kit->failure) )
        test_fail(__FILE__, __LINE__, "%s", kit->failure.text);
    return clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
}

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* After what has gone is forgotten. */
static struct life_cost cost_now(void)
{
    uint64_t rounds[ROUNDS];

    lives_rest(&lives, 40000 * MILLISECONDS);
    for ( unsigned int i = 0; i < ROUNDS; i++ )
        rounds[i] = round_of();
    qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
    return (struct life_cost){mallinfo2().uordblks,
                              (double)rounds[ROUNDS / 2] / 1000,
                              lives.kit.recording.drain.accounts.count};
}

static void print(unsigned int count, const struct life_cost *cost)
{
    printf("# %7u %10zu %10.1f %7zu\n", count, cost->bytes / 1024, cost->round,
           cost->rings);
}

TEST(domain_lives_leave_little)
{
    const char *wanted = getenv("DOMAIN_LIVES");
    unsigned int count = wanted ? (unsigned int)atoi(wanted) : LIVES;
    struct life_cost first, last;

    lives_begin(&lives, 1, " frequency=200");
    lives_born(&lives, false);
    printf("# %7s %10s %10s %7s\n", "lives", "KiB", "us a round", "rings");
    for ( unsigned int i = 0; i < FIRST; i++ )
        live(i);
    first = cost_now();
    print(FIRST, &first);
    for ( unsigned int i = FIRST; i < count; i++ )
        live(i);
    last = cost_now();
    print(count, &last);
    CHECK_EQ(last.rings, first.rings);
    CHECK(last.bytes < first.bytes + (size_t)(count - FIRST) * LIFE_BYTES);
    CHECK(last.round < 2 * first.round);
    lives_end(&lives);
}
