/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions in which many domains came, were sampled and went, each with two
 * rings, and with the places, stacks and names of a small guest: the memory
 * that xenoprofd has taken with malloc(), and the CPU time of a round in which
 * nothing happens, after 100 lives, when all that is kept of domains that have
 * ended (RING_SUMS_MAX) is there, and at the end; each when a file of the
 * session has just begun.  A machine may be twice as slow from one moment to
 * the next; a walk over what is left of domains would be more than that (with
 * 10,000 lives if it took 3 ns for each).
 *
 *   DOMAIN_LIVES=10000 test-domain-lives
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "libxenoprof/session/session-attributes.h"
#include "libxenoprof/session/session-writer.h"
#include "tests/unit/daemon/guests/lives-kit.h"

#define FIRST   100u
#define FULL    (RING_SUMS_MAX + 200u)
#define LIVES   (FULL + 600u)
#define ROUNDS  2000u
#define SLOWER  4u    /* times: not by itself */
#define KEPT    1280u /* bytes that are kept of a domain that has ended */
#define PLACES  60u   /* of each life */
#define STACKS  100u
#define DEPTH   12u
#define NUMBERS 30000u /* of domains, which are given again */

static struct lives lives;

struct life_cost {
    size_t bytes;
    double round; /* us, the least */
    size_t rings;
};

static void must(enum xenoprof_status status)
{
    if ( status )
        test_fail(__FILE__, __LINE__, "%s", xenoprof_message(lives.kit.handle));
}

static uint32_t place_of(uint16_t domain, unsigned int life, unsigned int at)
{
    char symbol[32];
    const struct xenoprof_place place = {
        .domain = domain,
        .mode = XENOPROF_MODE_KERNEL,
        .address = LIVES_KERNEL + 0x10000ul * at + 0x10 * (life % 7),
        .image = at % 4 ? "kernel" : "virtio_net",
        .symbol = symbol,
        .symbol_start = LIVES_KERNEL + 0x10000ul * at,
    };
    uint32_t ret;

    /* Some are those of all kernels. */
    if ( at % 3 )
        snprintf(symbol, sizeof(symbol), "do_function_%u", at);
    else
        snprintf(symbol, sizeof(symbol), "function_%u_of_life_%u", at, life);
    must(xenoprof_writer_place(lives.kit.recording.writer, &place, &ret));
    return ret;
}

/* As if its kernel had been found, and its stacks walked: 10,000 searches would
 * take too long. */
static void put_content(const struct living *guest, unsigned int life)
{
    struct recording *recording = &lives.kit.recording;
    uint32_t places[PLACES], stack[DEPTH];
    const struct xenoprof_stored sample = {.domain = guest->domain,
                                           .weight = 0};
    char key[32], value[160];

    domain_names_next_ring(&recording->names);
    must(domain_names_store(&recording->names, recording->writer, process_now(),
                            guest->domain,
                            lives.persons.items[guest->person].uuid));
    snprintf(key, sizeof(key), SESSION_ATTRIBUTE_GUEST_KERNEL "%u",
             guest->domain);
    snprintf(value, sizeof(value),
             "release=6.1.0-%u-amd64 build-id=%040x base=0xffffffff81000000 "
             "symbols=93883 modules=50 orc-rows=384849 found=memory",
             life % 60, life);
    must(xenoprof_writer_attribute(recording->writer, process_now(), key,
                                   value));
    for ( unsigned int i = 0; i < PLACES; i++ )
        places[i] = place_of(guest->domain, life, i);
    for ( unsigned int i = 0; i < STACKS; i++ )
    {
        for ( unsigned int j = 0; j < DEPTH; j++ )
            stack[j] = places[lives_random(&lives, PLACES)];
        must(xenoprof_writer_sample(recording->writer, &sample, stack, DEPTH));
    }
}

/* In processes only: no kernel is looked for. */
static void live(unsigned int number)
{
    size_t person = number % 2 ? lives_born(&lives, false) : 0;
    struct living *guest = lives_come(
        &lives, person, (uint16_t)(10 + number % NUMBERS), 'x', 2);

    guest->manner = MANNER_PROCESS;
    lives_pass(&lives, 10 * MILLISECONDS);
    lives_pass(&lives, 20 * MILLISECONDS);
    put_content(guest, number);
    lives_go(&lives, guest);
    lives_pass(&lives, 10 * MILLISECONDS);
    /* Two a second, more than hosts have. */
    lives_rest(&lives, 500 * MILLISECONDS);
}

static uint64_t round_of(void)
{
    struct recording_kit *kit = &lives.kit;
    uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);

    if ( recording_poll(&kit->recording, &kit->failure) )
        test_fail(__FILE__, __LINE__, "%s", kit->failure.text);
    return clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
}

/* Large arrays are mapped.  The list of persons is the kit's.  A sanitizer's
 * allocator counts nothing. */
static size_t memory(void)
{
    struct mallinfo2 info = mallinfo2();
    size_t own = lives.persons.room * sizeof(*lives.persons.items);

    return info.uordblks ? info.uordblks + info.hblkhd - own : 0;
}

/* After what has gone is forgotten, and at the beginning of a file of the
 * session: what a file defines is as much as it may be at its end, however many
 * domains it was about. */
static struct life_cost cost_now(void)
{
    uint64_t round, least = UINT64_MAX;

    lives.kit.recording.writer->file_age = 20000 * MILLISECONDS;
    lives_rest(&lives, 40000 * MILLISECONDS);
    lives.kit.recording.writer->file_age = FILE_AGE_MAX;
    for ( unsigned int i = 0; i < ROUNDS; i++ )
    {
        round = round_of();
        least = round < least ? round : least;
    }
    return (struct life_cost){memory(), (double)least / 1000,
                              lives.kit.recording.drain.accounts.count};
}

static void print(unsigned int count, const struct life_cost *cost)
{
    printf("# %7u %10zu %10.1f %7zu\n", count, cost->bytes / 1024, cost->round,
           cost->rings);
}

static struct life_cost cost_after(unsigned int from, unsigned int to)
{
    struct life_cost cost;

    for ( unsigned int i = from; i < to; i++ )
        live(i);
    cost = cost_now();
    print(to, &cost);
    return cost;
}

TEST(domain_lives_leave_little)
{
    const char *wanted = getenv("DOMAIN_LIVES");
    unsigned int count = wanted ? (unsigned int)atoi(wanted) : LIVES;
    struct life_cost first, full, last;

    lives_begin(&lives, 1, " frequency=200 ring-size=64");
    lives_born(&lives, false);
    printf("# %7s %10s %10s %7s\n", "lives", "KiB", "us a round", "rings");
    first = cost_after(0, FIRST);
    full = cost_after(FIRST, FULL);
    last = cost_after(FULL, count);
    CHECK_EQ(last.rings, first.rings);
    /* But for the names and sums of those that ended last. */
    CHECK(full.bytes <= first.bytes + RING_SUMS_MAX * KEPT);
    CHECK(last.bytes <= first.bytes + RING_SUMS_MAX * KEPT);
    CHECK(last.round < SLOWER * first.round);
    lives_end(&lives);
}

static void run(struct living *guest, unsigned int life)
{
    guest->manner = MANNER_PROCESS;
    lives_pass(&lives, 10 * MILLISECONDS);
    lives_pass(&lives, 20 * MILLISECONDS);
    put_content(guest, life);
}

/* Also if the last that is stored is one of its samples. */
TEST(a_domain_that_ended_leaves_the_kernel_of_the_next)
{
    struct recording *recording = &lives.kit.recording;
    struct living *guest;
    const char *text;
    size_t gone;

    lives_begin(&lives, 2, " frequency=200");
    gone = lives_born(&lives, false);
    guest = lives_come(&lives, gone, 10, 'x', 2);
    run(guest, 1);
    lives_go(&lives, guest);
    lives_pass(&lives, 10 * MILLISECONDS);
    run(lives_come(&lives, lives_born(&lives, false), 10, 'x', 2), 2);
    domain_names_next_ring(&recording->names);
    must(domain_names_store(&recording->names, recording->writer, process_now(),
                            10, lives.persons.items[gone].uuid));
    /* Others come and go, and it sleeps. */
    for ( uint16_t number = 50; number < 53; number++ )
    {
        guest = lives_come(&lives, lives_born(&lives, false), number, 'x', 1);
        lives_rest(&lives, 20000 * MILLISECONDS);
        lives_go(&lives, guest);
    }
    text = xenoprof_writer_past_attribute(recording->writer,
                                          SESSION_ATTRIBUTE_GUEST_KERNEL "10");
    CHECK(text && strstr(text, "release=6.1.0-2-"));
    lives_end(&lives);
}
