/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader that lags, stops, comes back, or lies about what it has read. */
#include <string.h>

#include "tests/unit/hypervisor/life-kit.h"
#include "hypervisor/pace/lag.h"

/* A ring holds 3.5 s of these samples at 97 Hz: less than xenoprofd's do. */
#define SETTINGS "frequency=97 pages=16 lease=0 budget=0"
/* 7 s */
#define LARGER "frequency=97 pages=32 lease=0 budget=0"

static uint64_t stood_for[2]; /* ns, of each pCPU */

static void add_up(const struct kit_sample *sample)
{
    CHECK(sample->sample.pcpu < 2);
    stood_for[sample->sample.pcpu] += (uint64_t)sample->sample.weight *
                                      sample->sample.period;
}

static void begin(const char *settings)
{
    memset(stood_for, 0, sizeof(stood_for));
    life_begin(settings);
    life_read.each = add_up;
    kit_done("start");
}

/* Returns how often the frequency changed while it was read once in so many ms,
 * for so many times. */
static uint64_t read_each(unsigned int milliseconds, unsigned int times)
{
    uint64_t paces = kit_status()->paces;

    for ( unsigned int i = 0; i < times; i++ )
    {
        life_run(milliseconds);
        kit_drain_all(&life_read);
        kit_beat();
        CHECK(kit_status()->frequency >= 1 && kit_status()->frequency <= 97);
    }
    return kit_status()->paces - paces;
}

static uint64_t lost(void)
{
    return kit_status()->counters.lost[XENOPROF_LOST_RING];
}

/* All samples were read: those that are left stand for all of the time. */
static void check_time(uint64_t since)
{
    uint64_t time = process_now() - since;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        CHECK(stood_for[i] + KIT_SECOND / 5 > time);
        CHECK(stood_for[i] < time + KIT_SECOND / 5);
    }
}

static void end(void)
{
    kit_done("stop");
    kit_check_sums();
    kit_drain_all(&life_read);
    CHECK_EQ(life_read.samples, kit_status()->counters.committed);
    kit_done("reset");
    CHECK_EQ(process_host()->shared, 0);
}

TEST(lag_of_a_ring_by_what_is_free)
{
    static const struct {
        uint32_t unread, halvings;
    } cases[] = {{0, 0},          {4096 - 1024, 0}, {4096 - 1016, 1},
                 {4096 - 512, 1}, {4096 - 504, 2},  {4096 - 256, 2},
                 {4096 - 120, 4}, {4096 - 8, 7}};

    for ( size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        struct lag lag = {.since = 0};

        lag_start(&lag, 0);
        lag_note(&lag, cases[i].unread, 4096);
        lag_note(&lag, 2048, 4096);
        lag_look(&lag, 1, true, 0, 20);
        CHECK_EQ(pace_halvings(&lag.pace), cases[i].halvings);
        lag_look(&lag, 2, true, cases[i].halvings, 20);
        CHECK_EQ(pace_halvings(&lag.pace), cases[i].halvings);
    }
}

/* A record was dropped: once more at each look, down to the least. */
TEST(lag_of_a_ring_that_was_full)
{
    struct lag lag = {.since = 0};

    lag_start(&lag, 0);
    for ( unsigned int i = 1; i < 10; i++ )
    {
        lag_note(&lag, 4096, 4096);
        lag_look(&lag, i, true, pace_halvings(&lag.pace), 6);
        CHECK_EQ(pace_halvings(&lag.pace), i < 6 ? i : 6);
    }
}

static void stop_for_ten_seconds(const char *settings, uint64_t most)
{
    begin(settings);
    read_each(250, 20);
    life_run(10000);
    read_each(250, 240);
    CHECK(lost() <= most);
    CHECK_EQ(kit_status()->frequency, kit_status()->asked);
    end();
}

/* Rings of 7.0 s, 4.0 s and 1.8 s.  Of the 1,940 or 1,700 samples of these ten
 * seconds 625, 1,061 and 1,649 were lost while the frequency stayed. */
TEST(reader_that_stops_for_ten_seconds)
{
    stop_for_ten_seconds(LARGER, 0);
    stop_for_ten_seconds("frequency=85 pages=16 lease=0 budget=0", 0);
    stop_for_ten_seconds("frequency=97 pages=8 lease=0 budget=0", 20);
}

TEST(reader_that_stops_and_what_is_said_of_it)
{
    const struct xenoprof_status_page *status;
    uint64_t began, stopped, resumed, last;

    begin(LARGER);
    status = kit_status();
    began = process_now();
    CHECK_EQ(read_each(250, 20), 0);
    stopped = process_now();
    life_run(10000);
    CHECK(status->frequency <= 12);
    resumed = process_now();
    CHECK(read_each(250, 240) > 0);
    CHECK_EQ(lost(), 0);
    CHECK_EQ(status->frequency, 97);
    CHECK_EQ(status->caught_up, status->lagged);
    check_time(began);

    /* What there is to be said of it: at the start, down, and up. */
    CHECK_EQ(status->paces, 1 + 2 * status->lagged);
    CHECK_EQ(status->pace[0].time, began);
    CHECK_EQ(status->pace[0].frequency, 97);
    CHECK_EQ(status->pace[0].lowered, 0);
    CHECK_EQ(status->pace[1].frequency, 48);
    CHECK_EQ(status->pace[1].lowered, XENOPROF_LOWERED_READER);
    CHECK(status->pace[1].time > stopped + 4 * KIT_SECOND);
    CHECK(status->pace[1].time < stopped + 6 * KIT_SECOND);
    last = status->paces - 1;
    CHECK_EQ(status->pace[last].frequency, 97);
    CHECK_EQ(status->pace[last].lowered, 0);
    CHECK(status->pace[last].time > resumed + 2 * KIT_SECOND);
    CHECK(status->pace[last].time < resumed + 20 * KIT_SECOND);
    end();
}

/* At 1 Hz, and made = committed + lost. */
TEST(reader_that_never_comes_back)
{
    begin(SETTINGS);
    life_run(600000);
    CHECK_EQ(kit_status()->frequency, 1);
    CHECK_EQ(kit_status()->lagged, 6);
    CHECK_EQ(kit_status()->caught_up, 0);
    CHECK(lost() > 0);
    CHECK(lost() < 2 * 600);
    end();
}

/* Without a sign of life nobody knows that it reads what comes. */
TEST(reader_that_shows_no_life)
{
    begin(SETTINGS);
    life_run(3000);
    CHECK_EQ(kit_status()->frequency, 48);
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        life_run(100);
        kit_drain_all(&life_read);
    }
    CHECK_EQ(kit_status()->frequency, 48);
    read_each(100, 100);
    CHECK_EQ(kit_status()->frequency, 97);
    end();
}

/* It comes each three seconds only, and rings hold 3.5: half of the frequency
 * is what fits, and that is found once. */
TEST(reader_that_is_slow_for_ten_minutes)
{
    uint64_t began;

    begin(SETTINGS);
    began = process_now();
    CHECK(read_each(3000, 200) <= 3);
    CHECK_EQ(kit_status()->frequency, 48);
    CHECK_EQ(lost(), 0);
    check_time(began);
    end();
}

/* Now it keeps up, now it does not. */
TEST(reader_that_is_slow_now_and_then_for_ten_minutes)
{
    uint64_t began, changes = 0;

    begin(SETTINGS);
    began = process_now();
    for ( unsigned int i = 0; i < 60; i++ )
    {
        changes += read_each(100, 70);
        changes += read_each(3000, 1);
    }
    CHECK(changes > 0);
    CHECK(changes <= 16);
    CHECK_EQ(lost(), 0);
    check_time(began);
    end();
}

/* The sampler without NMIs lowers its own. */
TEST(reader_of_the_timer_stops_for_ten_seconds)
{
    uint64_t began;

    life_begin(SETTINGS);
    kit_done("reset");
    CHECK_EQ(kit_command("reserve sampler=timer mask=3 queue=0 " LARGER), 0);
    kit_done("domain id=0 vcpus=2 uuid=" KIT_UUID_0 " kind=passive");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    memset(stood_for, 0, sizeof(stood_for));
    life_read.each = add_up;
    kit_done("start");
    began = process_now();
    read_each(250, 20);
    life_run(10000);
    CHECK(kit_status()->frequency <= 12);
    read_each(250, 240);
    CHECK_EQ(lost(), 0);
    CHECK_EQ(kit_status()->frequency, 97);
    check_time(began);
    end();
}

static uint64_t next_random(void)
{
    static uint64_t state = 88172645463325252ul;

    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Says something about what it has read of one ring, each few ms. */
static void lie(uint64_t (*consumer)(const struct xenoprof_ring_page *ring),
                unsigned int seconds)
{
    const struct xenoprof_ring_page *ring = kit_ring_of(XENOPROF_RING_VCPU, 5,
                                                        1);

    for ( unsigned int i = 0; i < 200 * seconds; i++ )
    {
        *kit_consumer(ring->ring) = consumer(ring);
        life_run(5);
        kit_beat();
        CHECK(kit_status()->frequency >= 1 && kit_status()->frequency <= 97);
    }
}

static uint64_t anything(const struct xenoprof_ring_page *ring)
{
    uint64_t lag = next_random() % (ring->data_pages * XENOPROF_PAGE_SIZE);

    return ring->producer < lag ? 0 : (ring->producer - lag) & ~7ul;
}

static uint64_t all_unread(const struct xenoprof_ring_page *ring)
{
    uint64_t size = ring->data_pages * XENOPROF_PAGE_SIZE;

    return ring->producer < size ? 0 : ring->producer - size;
}

static uint64_t nothing_unread(const struct xenoprof_ring_page *ring)
{
    return ring->producer;
}

static uint64_t impossible(const struct xenoprof_ring_page *ring)
{
    return ring->producer + 8 * (1 + next_random() % 1000);
}

/* What dom0 writes there is the rate at most: no record is written over, no
 * counter goes wrong, and the rate is between the least and what was asked. */
TEST(reader_that_lies)
{
    begin(SETTINGS);
    lie(nothing_unread, 20);
    /* That ring is fine; the others fill up. */
    CHECK(kit_status()->frequency < 97);
    kit_drain_all(&life_read);
    lie(anything, 20);
    lie(all_unread, 20);
    CHECK_EQ(kit_status()->frequency, 1);
    lie(impossible, 2);
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->state,
             XENOPROF_RING_STOPPED);
    /* A ring that is stopped does not fill up. */
    read_each(100, 600);
    CHECK_EQ(kit_status()->frequency, 97);
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
}
