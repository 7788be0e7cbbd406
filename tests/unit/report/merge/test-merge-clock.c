/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/merge/merge-clock.h"

#include <string.h>

#include "tests/harness.h"

#define MS       1000000ull
#define PERIOD   (10 * MS)
#define HOST_AT  (5000 * MS)
#define GUEST_AT (70000 * MS)
#define MOMENTS  20000u

/* One who samples a vCPU that runs threads in turn. */
struct sampler {
    struct clock_moment items[MOMENTS];
    struct clock_moments moments;
};

static struct sampler host, guest;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Which thread runs at a time of the story; 0: none. */
static uint32_t story_threads[100000];

/* Each of so many threads in turn, for 1 to most ms. */
static void tell_story(uint32_t seed, uint32_t threads, uint32_t most)
{
    uint32_t tid = 0, left = 0;

    for ( size_t i = 0; i < 100000; i++ )
    {
        if ( !left-- )
        {
            tid = next_random(&seed) % (threads + 1);
            left = next_random(&seed) % most;
        }
        story_threads[i] = tid ? 1000 + tid : 0;
    }
}

/* From a ms of the story to another one, by a clock that is ahead of it. */
static void take_samples(struct sampler *sampler, uint64_t from, uint64_t to,
                         uint64_t phase, uint64_t ahead)
{
    sampler->moments = (struct clock_moments){.items = sampler->items};
    for ( uint64_t at = from * MS + phase; at < to * MS; at += PERIOD )
        if ( story_threads[at / MS] )
            sampler->items[sampler->moments.count++] = (struct clock_moment){
                at + ahead, story_threads[at / MS], PERIOD / 2};
}

static enum clock_verdict find(struct clock_found *ret)
{
    const struct clock_window all = {INT64_MIN, INT64_MAX};

    return clock_find(&host.moments, &guest.moments, &all, ret);
}

static uint64_t off_by(const struct clock_found *found)
{
    const int64_t right = (int64_t)HOST_AT - (int64_t)GUEST_AT;

    return (uint64_t)(found->offset < right ? right - found->offset
                                            : found->offset - right);
}

/* The guest recorded 15 s of the host's minute. */
TEST(threads_in_turn_tell_the_offset)
{
    for ( uint32_t seed = 1; seed < 10; seed++ )
    {
        struct clock_found found;

        tell_story(seed, 8, 60);
        take_samples(&host, 0, 60000, 1 * MS, HOST_AT);
        take_samples(&guest, 20000, 35000, 4 * MS, GUEST_AT);
        CHECK_EQ(find(&found), CLOCK_FOUND);
        CHECK(off_by(&found) <= found.error);
        CHECK(found.error <= 10 * MS);
        CHECK(found.agreed > 5000 * MS);
    }
}

TEST(a_single_burst_tells_it_less_well)
{
    struct clock_found found;

    memset(story_threads, 0, sizeof(story_threads));
    for ( size_t i = 21003; i < 23456; i++ )
        story_threads[i] = 77;
    /* What else ran is not of both. */
    for ( size_t i = 0; i < 60000; i += 5000 )
        memset(&story_threads[i], 1, 200 * sizeof(*story_threads));
    take_samples(&host, 0, 60000, 1 * MS, HOST_AT);
    take_samples(&guest, 20000, 35000, 4 * MS, GUEST_AT);
    for ( size_t i = 0; i < guest.moments.count; i++ )
        guest.items[i].tid -= guest.items[i].tid != 77;
    CHECK_EQ(find(&found), CLOCK_FOUND);
    CHECK(off_by(&found) <= found.error);
    CHECK(found.error <= 50 * MS);
}

TEST(a_thread_that_runs_on_tells_nothing)
{
    struct clock_found found;

    for ( size_t i = 0; i < 100000; i++ )
        story_threads[i] = 77;
    take_samples(&host, 0, 60000, 1 * MS, HOST_AT);
    take_samples(&guest, 20000, 35000, 4 * MS, GUEST_AT);
    CHECK_EQ(find(&found), CLOCK_SMOOTH);
    /* Nor if both recorded for the same time. */
    take_samples(&guest, 0, 60000, 4 * MS, GUEST_AT);
    CHECK_EQ(find(&found), CLOCK_SMOOTH);
}

TEST(what_comes_again_and_again_tells_several)
{
    struct clock_found found;
    const int64_t right = (int64_t)HOST_AT - (int64_t)GUEST_AT;
    const struct clock_window window = {right - 300 * (int64_t)MS,
                                        right + 600 * (int64_t)MS};

    for ( size_t i = 0; i < 100000; i++ )
        story_threads[i] = i % 1000 < 250 ? 77 : 0;
    take_samples(&host, 0, 60000, 1 * MS, HOST_AT);
    take_samples(&guest, 20000, 35000, 4 * MS, GUEST_AT);
    CHECK_EQ(find(&found), CLOCK_TWICE);
    /* Who knows it to less than a second knows it. */
    CHECK_EQ(clock_find(&host.moments, &guest.moments, &window, &found),
             CLOCK_FOUND);
    CHECK(off_by(&found) <= found.error);
}

TEST(others_threads_tell_nothing)
{
    struct clock_found found;

    tell_story(1, 8, 60);
    take_samples(&host, 0, 60000, 1 * MS, HOST_AT);
    take_samples(&guest, 20000, 35000, 4 * MS, GUEST_AT);
    for ( size_t i = 0; i < guest.moments.count; i++ )
        guest.items[i].tid += 100;
    CHECK_EQ(find(&found), CLOCK_STRANGERS);
    guest.moments.count = 0;
    CHECK_EQ(find(&found), CLOCK_STRANGERS);
}

/* Threads of these numbers ran elsewhere, at other times. */
TEST(another_story_is_not_found)
{
    for ( uint32_t seed = 1; seed < 10; seed++ )
    {
        struct clock_found found;

        tell_story(seed, 8, 60);
        take_samples(&host, 0, 60000, 1 * MS, HOST_AT);
        tell_story(seed + 100, 8, 60);
        take_samples(&guest, 20000, 35000, 4 * MS, GUEST_AT);
        CHECK(find(&found) != CLOCK_FOUND);
    }
}

/* Times as a file may have them. */
TEST(any_times_are_sound)
{
    struct clock_found found;

    for ( uint32_t seed = 1; seed < 30; seed++ )
    {
        uint32_t state = seed;

        host.moments = (struct clock_moments){.items = host.items};
        guest.moments = (struct clock_moments){.items = guest.items};
        for ( size_t i = 0; i < 50; i++ )
        {
            const uint64_t any = (uint64_t)next_random(&state) << 45 |
                                 (uint64_t)next_random(&state) << 30 |
                                 next_random(&state);

            host.items[host.moments.count++] = (struct clock_moment){
                any % CLOCK_TIME_MAX, next_random(&state) % 3,
                next_random(&state) << 15};
            guest.items[guest.moments.count++] = (struct clock_moment){
                (seed & 1 ? any : any >> 30) % CLOCK_TIME_MAX,
                next_random(&state) % 3, next_random(&state) << 15};
        }
        find(&found);
    }
}
