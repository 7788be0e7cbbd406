/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-scenario.h"

#include <math.h>

#define MILLI 1000000ull /* ns */

/* Xen samples no more when nobody has read for so long. */
#define LEASE (10 * SIM_SECOND)

#define TICKS_MOST  20000u  /* of a usual session */
#define PIECES_MOST 400000u /* of runs of one call chain */
#define BURSTS_MOST 200000u

static bool is_large(uint64_t seed)
{
    return seed % 200 == 77;
}

static bool is_long(uint64_t seed)
{
    return seed % 50 == 13;
}

static void draw_size(struct sim_scenario *scenario, struct sim_draw *draw,
                      uint64_t seed)
{
    uint64_t length = sim_scaled(draw, 3 * SIM_SECOND, 60 * SIM_SECOND);

    scenario->pcpus = (unsigned int)sim_scaled(draw, 2, 17);
    if ( is_large(seed) )
    {
        scenario->pcpus = 256;
        length = 12 * SIM_SECOND;
    }
    if ( is_long(seed) )
    {
        scenario->pcpus = 2;
        length = 150 * SIM_SECOND;
    }
    scenario->domains = is_large(seed) ? 100
                                       : (unsigned int)sim_between(draw, 2, 6);
    scenario->vcpus_max = (unsigned int)sim_between(
        draw, 1, is_large(seed) ? 6 : scenario->pcpus);
    scenario->begin = sim_scaled(draw, SIM_SECOND, 3000000 * SIM_SECOND);
    scenario->end = scenario->begin + length;
    scenario->first_block = scenario->begin +
                            sim_between(draw, MILLI, 30 * MILLI);
}

static void draw_rate(struct sim_scenario *scenario, struct sim_draw *draw)
{
    static const uint32_t rates[] = {19, 49, 97, 199, 499, 997};
    uint64_t length = scenario->end - scenario->begin;
    uint64_t rate, other;
    unsigned int count = 1;

    while ( count < sizeof(rates) / sizeof(rates[0]) &&
            rates[count] * scenario->pcpus * length < TICKS_MOST * SIM_SECOND )
        count++;
    /* Of two the higher one: most sessions have some thousands of samples. */
    rate = sim_below(draw, count);
    other = sim_below(draw, count);
    scenario->hz = rates[rate > other ? rate : other];
    scenario->missed = sim_chance(draw, 300)
                           ? (unsigned int)sim_between(draw, 1, 300)
                           : 0;
    if ( sim_chance(draw, 150) )
    {
        scenario->slow_hz = scenario->hz / 2;
        scenario->slow_at = scenario->begin + sim_below(draw, length);
    }
}

static uint64_t at_least(uint64_t value, uint64_t least)
{
    return value > least ? value : least;
}

static void draw_work(struct sim_scenario *scenario, struct sim_draw *draw)
{
    uint64_t time = (scenario->end - scenario->begin) * scenario->pcpus;

    scenario->burst = at_least(sim_scaled(draw, MILLI / 5, 20 * MILLI),
                               time / BURSTS_MOST);
    scenario->piece = at_least(sim_scaled(draw, MILLI / 50, 2 * MILLI),
                               time / PIECES_MOST);
    scenario->phase = sim_chance(draw, 600)
                          ? sim_scaled(draw, SIM_SECOND / 2, 30 * SIM_SECOND)
                          : 0;
    scenario->slice = sim_scaled(draw, MILLI, 30 * MILLI);
    scenario->idle_work = (unsigned int)sim_scaled(draw, 1, 100);
    scenario->capped = sim_chance(draw, 250);
    scenario->paused = sim_chance(draw, 250);
    scenario->hotplug = sim_chance(draw, 250);
    scenario->births = sim_chance(draw, 350);
    scenario->numbers_again = sim_chance(draw, 100);
    scenario->others = sim_chance(draw, 400);
    scenario->devices = sim_chance(draw, 200);
    scenario->late = sim_chance(draw, 350);
    scenario->closed = sim_chance(draw, 700);
    scenario->utc_steps = sim_chance(draw, 200);
    scenario->file_bytes = sim_chance(draw, 200)
                               ? sim_scaled(draw, 20000, 200000)
                               : 0;
}

/* Stalls do not touch, and leave time for a reading at both ends. */
static void draw_stalls(struct sim_scenario *scenario, struct sim_draw *draw,
                        unsigned int count, uint64_t low, uint64_t high)
{
    uint64_t length = scenario->end - scenario->begin, at = scenario->begin;
    uint64_t share = length / count;

    for ( unsigned int i = 0; i < count; i++, at += share )
    {
        uint64_t stall = sim_scaled(draw, low, high);
        uint64_t most = share * 9 / 10;
        struct sim_range *range = &scenario->stalls[scenario->stall_count];

        if ( stall > most )
            stall = most;
        range->from = at + sim_below(draw, share - stall);
        range->to = range->from + stall;
        if ( range->from > scenario->first_block )
            scenario->stall_count++;
    }
}

static void draw_loss(struct sim_scenario *scenario, struct sim_draw *draw,
                      uint64_t seed)
{
    double room = 8; /* seconds */

    scenario->loss = (enum sim_loss)(seed % SIM_LOSSES);
    scenario->read_every = sim_between(draw, 100 * MILLI, 300 * MILLI);
    if ( scenario->loss == SIM_LOSS_FULL )
    {
        scenario->read_every = sim_between(draw, 1000 * MILLI, 3000 * MILLI);
        room = (double)scenario->read_every / (double)SIM_SECOND *
               (1 - 0.97 * sqrt(sim_unit(draw)));
    }
    if ( scenario->loss == SIM_LOSS_BURSTS )
    {
        room = 0.1 + 0.9 * sim_unit(draw);
        draw_stalls(scenario, draw,
                    (unsigned int)sim_between(draw, 2, SIM_STALLS),
                    SIM_SECOND / 4, 4 * SIM_SECOND);
    }
    if ( scenario->loss == SIM_LOSS_STARVED )
    {
        room = 0.3 + 3 * sim_unit(draw);
        draw_stalls(scenario, draw, (unsigned int)sim_between(draw, 1, 2),
                    3 * SIM_SECOND, 25 * SIM_SECOND);
    }
    scenario->ring_room = 2 + (uint32_t)(room * scenario->hz);
    scenario->waits_room = sim_scaled(draw, 2 * SIM_SECOND, 20 * SIM_SECOND);
}

/* Whole milliseconds since the session's start, as a user gives them. */
static void draw_ranges(struct sim_scenario *scenario, struct sim_draw *draw)
{
    uint64_t length = (scenario->end - scenario->begin) / MILLI;

    scenario->ranges[0] = (struct sim_range){scenario->first_block,
                                             scenario->end};
    for ( unsigned int i = 1; i < SIM_RANGES; i++ )
    {
        uint64_t part = sim_scaled(draw, 500, length - 100);
        uint64_t from = sim_between(draw, 50, length - 50 - part);

        scenario->ranges[i].from = scenario->begin + from * MILLI;
        scenario->ranges[i].to = scenario->begin + (from + part) * MILLI;
    }
}

void sim_scenario_draw(struct sim_scenario *scenario, struct sim_draw *draw,
                       uint64_t seed)
{
    *scenario = (struct sim_scenario){.hz = 0};
    draw_size(scenario, draw, seed);
    draw_rate(scenario, draw);
    draw_work(scenario, draw);
    draw_loss(scenario, draw, seed);
    draw_ranges(scenario, draw);
}

bool sim_stalled(const struct sim_scenario *scenario, uint64_t time,
                 struct sim_range *ret)
{
    for ( unsigned int i = 0; i < scenario->stall_count; i++ )
    {
        *ret = scenario->stalls[i];
        if ( time >= ret->from && time < ret->to )
            return true;
    }
    return false;
}

bool sim_samples_at(const struct sim_scenario *scenario, uint64_t time)
{
    struct sim_range stall;

    return !sim_stalled(scenario, time, &stall) || time < stall.from + LEASE;
}

uint64_t sim_period_at(const struct sim_scenario *scenario, uint64_t time)
{
    bool slow = scenario->slow_hz && time >= scenario->slow_at;

    return SIM_SECOND / (slow ? scenario->slow_hz : scenario->hz);
}

const char *sim_loss_name(enum sim_loss loss)
{
    static const char *const names[SIM_LOSSES] = {"none", "full", "bursts",
                                                  "starved"};

    return names[loss];
}
