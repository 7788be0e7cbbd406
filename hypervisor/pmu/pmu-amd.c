/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AMD's counters: the four of the K7, the six of a core, and PerfMonV2, which
 * alone has registers for all counters at once.  Hygon's are the same.
 */
#include "pmu-family.h"

#define LEAF_FEATURES 1u
#define LEAF_EXTENDED 0x80000000u
#define LEAF_MORE     0x80000001u
#define LEAF_PMU      0x80000022u
#define HYPERVISOR    (1u << 31) /* in ecx of LEAF_FEATURES */
#define CORE_COUNTERS (1u << 23) /* in ecx of LEAF_MORE */

#define WIDTH 48u
/* Bits 8 to 11 of the event; HVM guests alone, or all but these. */
#define ALLOWED (PMU_SELECT_COMMON | 0xful << 32 | 3ul << 40)

#define FREQUENT                                                               \
    {                                                                          \
        0x76, 0xc0                                                             \
    }

static const struct pmu_family k7 = {
    .name = "AMD K7",
    .select = 0xc0010000,
    .counter = 0xc0010004,
    .step = 1,
    .there = 0xf,
    .width = WIDTH,
    .allowed = ALLOWED,
    .frequent = FREQUENT,
};

static const struct pmu_family core = {
    .name = "AMD core",
    .select = 0xc0010200,
    .counter = 0xc0010201,
    .step = 2,
    .there = 0x3f,
    .width = WIDTH,
    .allowed = ALLOWED,
    .frequent = FREQUENT,
};

static const struct pmu_family perfmon2 = {
    .name = "AMD PerfMonV2",
    .select = 0xc0010200,
    .counter = 0xc0010201,
    .step = 2,
    .there = 0x3f,
    .width = WIDTH,
    .status = 0xc0000300,
    .clear = 0xc0000302,
    .control = 0xc0000301,
    .allowed = ALLOWED,
    .frequent = FREQUENT,
};

static bool has_perfmon2(struct pmu_family *ret)
{
    uint32_t words[4], counters;

    port_cpuid(LEAF_PMU, 0, words);
    counters = words[1] & 15;
    if ( !(words[0] & 1) || !counters )
        return false;
    *ret = perfmon2;
    ret->there = (1u << counters) - 1;
    return true;
}

/* The K7's counters have no bit of their own: there they are where the
 * processor is real.  An emulator need not have them, and says that it is
 * one. */
static bool may_have_k7(void)
{
    uint32_t words[4], family;

    port_cpuid(LEAF_FEATURES, 0, words);
    family = words[0] >> 8 & 15;
    return !(words[2] & HYPERVISOR) && family == 15;
}

enum pmu_presence pmu_amd_look(uint32_t highest, struct pmu_family *ret)
{
    uint32_t words[4], extended;

    port_cpuid(LEAF_EXTENDED, 0, words);
    extended = words[0];
    if ( highest < LEAF_FEATURES || extended < LEAF_MORE )
        return PMU_ABSENT;
    if ( extended >= LEAF_PMU && has_perfmon2(ret) )
        return PMU_PRESENT;
    port_cpuid(LEAF_MORE, 0, words);
    if ( words[2] & CORE_COUNTERS )
        *ret = core;
    else if ( may_have_k7() )
        *ret = k7;
    else
        return PMU_ABSENT;
    return PMU_PRESENT;
}
