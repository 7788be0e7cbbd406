/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests in any order: they come, are honest or lie, die, come back as
 * themselves or as others, under their number or another's; processes and the
 * daemon are killed.  Each seed is a row of events, the same in each run:
 *
 *   LIVES_SEED=17 test-guest-lives      that seed alone, and what happens
 *   LIVES_RUNS=500 test-guest-lives     seeds 0 to 499
 */
#include <stdio.h>
#include <stdlib.h>

#include "lives-kit.h"

#define RUNS   3u
#define EVENTS 250u

#define HONEST_MAX  8u
#define HOSTILE_MAX 6u /* more than there are searches at a time */

static struct lives lives;
static uint64_t seed_now;
static bool loud;
static bool walker_was_killed; /* twice, and its guest has no more */

/* What a kernel that lies is: one that cannot be found, or read, or walked, or
 * that ends or burns whatever looks at it. */
static char any_letter(void)
{
    static const char letters[] = "KKKKPDxfSSCFBLN";

    return letters[lives_random(&lives, sizeof(letters) - 1)];
}

/* Each returns whether it happened. */
static bool honest_comes(void)
{
    return lives_count(&lives, true) < HONEST_MAX &&
           lives_come(&lives, lives_born(&lives, true), 0, 'K',
                      (uint16_t)(1 + lives_random(&lives, 3)));
}

static void misbehave(struct living *guest)
{
    guest->manner = (enum manner)lives_random(&lives, MANNERS);
    guest->changes = lives_random(&lives, 4) == 0;
    for ( unsigned int i = 0; i < KIT_FRAMES; i++ )
        guest->memory.missing[i] = lives_random(&lives, 16) == 0;
}

static bool hostile_as(size_t person, uint16_t domain)
{
    static const uint16_t vcpus[] = {1, 2, 64};
    struct living *guest;

    if ( lives_count(&lives, false) >= HOSTILE_MAX )
        return false;
    guest = lives_come(&lives, person, domain, any_letter(),
                       vcpus[lives_random(&lives, 3)]);
    if ( guest )
        misbehave(guest);
    return guest;
}

static bool hostile_comes(void)
{
    return hostile_as(lives_born(&lives, false), 0);
}

/* One that may go: an honest guest whose kernel was found, which loses nothing
 * then. */
static struct living *any_settled(bool honest)
{
    struct living *guest = lives_any(&lives, honest);

    return guest && (!honest || lives_is_known(&lives, guest)) ? guest : NULL;
}

static bool goes(bool honest)
{
    struct living *guest = any_settled(honest);

    if ( guest )
        lives_go(&lives, guest);
    return guest;
}

static bool honest_goes(void)
{
    return goes(true);
}

static bool hostile_goes(void)
{
    return goes(false);
}

static bool honest_reboots(void)
{
    struct living *guest = any_settled(true);

    if ( !guest )
        return false;
    lives_go(&lives, guest);
    lives_pass(&lives, 10 * MILLISECONDS);
    return lives_come(&lives, guest->person, 0, 'K', guest->vcpus);
}

static bool hostile_reboots(void)
{
    struct living *guest = any_settled(false);

    if ( !guest )
        return false;
    lives_go(&lives, guest);
    return hostile_as(guest->person, 0);
}

/* Xen gives a number again when it has gone through all. */
static bool honest_takes_a_number(void)
{
    struct living *guest = any_settled(false);

    if ( !guest || lives_count(&lives, true) >= HONEST_MAX )
        return false;
    lives_go(&lives, guest);
    lives_pass(&lives, 10 * MILLISECONDS);
    return lives_come(&lives, lives_born(&lives, true), guest->domain, 'K', 2);
}

static bool hostile_takes_a_number(void)
{
    struct living *guest = any_settled(true);

    if ( !guest || lives_count(&lives, false) >= HOSTILE_MAX )
        return false;
    lives_go(&lives, guest);
    lives_pass(&lives, 10 * MILLISECONDS);
    return hostile_as(lives_born(&lives, false), guest->domain);
}

static bool hostile_changes(void)
{
    struct living *guest = lives_any(&lives, false);

    if ( guest )
        misbehave(guest);
    return guest;
}

static bool hostile_starts_another_kernel(void)
{
    struct living *guest = lives_any(&lives, false);

    if ( guest )
        lives_set_kernel(&lives, guest, any_letter());
    return guest;
}

static bool walker_is_killed(void)
{
    if ( walker_was_killed || !lives_kill_walker(&lives) )
        return false;
    walker_was_killed = true;
    return true;
}

/* Rings fill, and wrap. */
static bool daemon_is_away(void)
{
    lives_pass(&lives, 100 * MILLISECONDS);
    return true;
}

static bool nobody_works(void)
{
    lives_rest(&lives, 31000 * MILLISECONDS);
    return true;
}

/* Some sessions drop their oldest samples, some have many files. */
static void set_files(void)
{
    struct xenoprof_writer *writer = lives.kit.recording.writer;

    if ( seed_now % 4 == 2 )
        xenoprof_writer_max_size(writer, 65536);
    if ( seed_now % 4 == 1 )
        xenoprof_writer_rotate_at(writer, 8192);
}

static bool daemon_is_killed(void)
{
    lives_kill_daemon(&lives);
    set_files();
    return true;
}

static const struct event {
    const char *name;
    bool (*happen)(void);
    unsigned int weight;
} events[] = {
    {"time passes", NULL, 150},
    {"an honest guest comes", honest_comes, 20},
    {"a hostile guest comes", hostile_comes, 25},
    {"an honest guest goes", honest_goes, 10},
    {"a hostile guest goes", hostile_goes, 8},
    {"an honest guest reboots", honest_reboots, 5},
    {"a hostile guest reboots", hostile_reboots, 15},
    {"an honest guest takes a hostile one's number", honest_takes_a_number, 3},
    {"a hostile guest takes an honest one's number", hostile_takes_a_number, 3},
    {"a hostile guest changes", hostile_changes, 15},
    {"a hostile guest starts a kernel", hostile_starts_another_kernel, 10},
    {"a walker is killed", walker_is_killed, 1},
    {"the daemon is away", daemon_is_away, 10},
    {"nobody works", nobody_works, 2},
    {"the daemon is killed", daemon_is_killed, 1},
};

#define SORTS (sizeof(events) / sizeof(events[0]))

static const struct event *any_event(void)
{
    uint64_t sum = 0, at;
    size_t i = 0;

    for ( size_t e = 0; e < SORTS; e++ )
        sum += events[e].weight;
    at = lives_random(&lives, sum);
    while ( at >= events[i].weight )
        at -= events[i++].weight;
    return &events[i];
}

static void run(uint64_t seed)
{
    walker_was_killed = false;
    lives_begin(&lives, seed, " frequency=200 ring-size=128");
    seed_now = seed;
    set_files();
    for ( unsigned int i = 0; i < EVENTS; i++ )
    {
        const struct event *event = any_event();
        bool happened = event->happen && event->happen();

        if ( loud )
            printf("# %u at %llu ms: %s%s\n", i,
                   (unsigned long long)process_now() / 1000000, event->name,
                   happened || !event->happen ? "" : " (not now)");
        lives_pass(&lives, (1 + lives_random(&lives, 3)) * 10 * MILLISECONDS);
    }
    lives_end(&lives);
    if ( loud )
        printf("# %llu samples expired\n",
               (unsigned long long)lives.kit.recording.expired);
}

static unsigned long number_of(const char *variable, unsigned long usual)
{
    const char *text = getenv(variable);

    return text ? strtoul(text, NULL, 10) : usual;
}

TEST(guests_in_any_order)
{
    unsigned long first = number_of("LIVES_SEED", 0);
    unsigned long runs = number_of("LIVES_RUNS", RUNS);

    loud = getenv("LIVES_SEED");
    for ( unsigned long i = 0; i < (loud ? 1 : runs); i++ )
    {
        printf("# LIVES_SEED=%lu\n", first + i);
        run(first + i);
    }
}
