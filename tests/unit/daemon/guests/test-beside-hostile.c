/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Honest guests for some simulated minutes: alone, and beside a guest of 64
 * vCPUs whose every sample is of a new process with a new name, at addresses
 * never seen before, and whose kernel reboots.  The honest ones do the same in
 * both runs, and lose no sample, no name, no caller and no time.
 *
 * Time is simulated, but for what xenoprofd itself works: a round goes on until
 * no process works for an honest guest.
 *
 *   BESIDE=600 test-beside-hostile    (virtual seconds)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "lives-kit.h"

#define HONEST  3u /* pCPUs 1 to 3; the others are the hostile guest's */
#define VCPUS   64u
#define SECONDS 60u
#define ROUND   (100 * MILLISECONDS) /* as Xen wakes the daemon */
#define LIFE    50u                  /* rounds until it reboots */

static struct lives lives;
static uint64_t work_began; /* of this round: ns of xenoprofd's CPU */

struct honest_sum {
    uint64_t samples, names; /* of honest guests; names: of their threads */
    uint64_t waited;         /* ns in all, from sample to stored */
    uint64_t hostile;
};

static struct honest_sum *outcome;

enum xenoprof_status __real_xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count);
enum xenoprof_status __wrap_xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count);

static struct person *person_of(uint16_t domain)
{
    for ( unsigned int i = 0; i < LIVES_SLOTS; i++ )
        if ( lives.slots[i].alive && lives.slots[i].domain == domain )
            return &lives.persons.items[lives.slots[i].person];
    return NULL;
}

enum xenoprof_status __wrap_xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count)
{
    const struct person *person = person_of(sample->domain);

    if ( person && !person->honest )
        outcome->hostile++;
    if ( person && person->honest )
    {
        outcome->samples++;
        outcome->names += !strcmp(sample->thread.comm, person->prefix);
        outcome->waited += process_now() - sample->time +
                           clock_read(CLOCK_THREAD_CPUTIME_ID) - work_began;
    }
    return __real_xenoprof_writer_sample(writer, sample, places, count);
}

/* A process looks at something for an honest guest. */
static bool honest_is_away(void)
{
    const struct guests *guests = lives.kit.recording.guests;

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        const struct guest *guest = &guests->guests[i];
        const struct person *person = guest->used ? person_of(guest->domain)
                                                  : NULL;

        if ( person && person->honest &&
             (guest->search.link ||
              (guest->walker.link && walker_is_away(guest->walker.link))) )
            return true;
    }
    return false;
}

/* What the hostile guest has in hand is not waited for. */
static void work(void)
{
    uint64_t until = clock_read(CLOCK_MONOTONIC) + 1000 * MILLISECONDS;

    work_began = clock_read(CLOCK_THREAD_CPUTIME_ID);
    do
        lives_work(&lives);
    while ( honest_is_away() && clock_read(CLOCK_MONOTONIC) < until );
}

static struct living *reboot(struct living *guest)
{
    lives_go(&lives, guest);
    guest = lives_come(&lives, guest->person, 0, 'T', VCPUS);
    guest->manner = MANNER_NEW;
    return guest;
}

static struct honest_sum run(bool beside, unsigned int rounds)
{
    struct honest_sum ret = {0};
    struct living *honest[HONEST], *hostile = NULL;
    uint64_t random;

    outcome = &ret;
    lives_begin(&lives, 7, " frequency=100 ring-size=128");
    for ( unsigned int i = 0; i < HONEST; i++ )
        honest[i] = lives_come(&lives, lives_born(&lives, true), 0, 'T', 2);
    if ( beside )
    {
        hostile = lives_come(&lives, lives_born(&lives, false), 0, 'T', VCPUS);
        hostile->manner = MANNER_NEW;
    }
    lives_work(&lives);
    for ( unsigned int round = 1; round <= rounds; round++ )
    {
        for ( unsigned int i = 0; i < ROUND / LIVES_TURN; i++ )
        {
            for ( unsigned int j = 0; j < HONEST; j++ )
                lives_put(&lives, 1 + j, honest[j]);
            random = lives.random;
            for ( unsigned int j = HONEST + 1; j < LIVES_PCPUS; j++ )
                if ( hostile && hostile->ready )
                    lives_put(&lives, j, hostile);
            lives.random = random;
            lives_turn();
        }
        work();
        if ( beside && round % LIFE == 0 )
            hostile = reboot(hostile);
    }
    lives_end(&lives);
    return ret;
}

static void print(const char *how, const struct honest_sum *of)
{
    printf("# %-7s %8llu %8llu %10.3f %8llu\n", how,
           (unsigned long long)of->samples, (unsigned long long)of->names,
           (double)of->waited / 1e6 / (double)of->samples,
           (unsigned long long)of->hostile);
    fflush(stdout);
}

TEST(honest_guests_lose_nothing_beside_a_hostile_one)
{
    const char *text = getenv("BESIDE");
    unsigned int rounds = 10 * (text ? (unsigned int)atoi(text) : SECONDS);
    struct honest_sum alone = run(false, rounds), beside;

    print("alone", &alone);
    beside = run(true, rounds);
    print("beside", &beside);
    CHECK(beside.hostile > rounds);
    CHECK_EQ(beside.samples, alone.samples);
    CHECK_EQ(beside.names, alone.names);
    CHECK(alone.names > alone.samples / 2);
    CHECK(beside.waited <= alone.waited + alone.waited / 20);
}
