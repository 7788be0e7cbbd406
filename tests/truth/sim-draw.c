/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-draw.h"

#include <math.h>

/* splitmix64 */
static uint64_t bits(struct sim_draw *draw)
{
    uint64_t value = draw->state += 0x9e3779b97f4a7c15ull;

    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
}

uint64_t sim_below(struct sim_draw *draw, uint64_t below)
{
    return bits(draw) % below;
}

uint64_t sim_between(struct sim_draw *draw, uint64_t low, uint64_t high)
{
    return low + sim_below(draw, high - low + 1);
}

double sim_unit(struct sim_draw *draw)
{
    return (double)(bits(draw) >> 11) / (double)(1ull << 53);
}

uint64_t sim_scaled(struct sim_draw *draw, uint64_t low, uint64_t high)
{
    return (uint64_t)((double)low *
                      pow((double)high / (double)low, sim_unit(draw)));
}

uint64_t sim_until(struct sim_draw *draw, double mean)
{
    return 1 + (uint64_t)(-log(1 - sim_unit(draw)) * mean);
}

bool sim_chance(struct sim_draw *draw, unsigned int of_1000)
{
    return sim_below(draw, 1000) < of_1000;
}
