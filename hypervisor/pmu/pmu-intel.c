/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel's architectural counters, versions 2 to 6: CPUID leaf 0xA.  Version 6
 * has them in leaf 0x23 too; the registers of before stay.
 */
#include <xenoprof/door.h>

#include "pmu-family.h"

#define LEAF_FEATURES 7u
#define LEAF_PMU      0xau
#define LEAF_KIND     0x1au
#define HYBRID        (1u << 15) /* in edx of LEAF_FEATURES */

#define VERSION_FIXED_SET 5u /* from here on ecx has a set of them */

/* Events that are not architectural count in the first four only. */
#define COUNTERS_OF_ALL 4u

static uint64_t fixed_counters(const uint32_t words[4])
{
    uint64_t there = (1ul << (words[3] & 31)) - 1;

    if ( (words[0] & 0xff) >= VERSION_FIXED_SET )
        there |= words[2];
    return there & ((1ul << XENOPROF_EVENT_FIXED_MAX) - 1);
}

/* Hybrid processors have two kinds of cores, whose events differ. */
static void note_kind(uint32_t highest, const uint32_t pmu[4],
                      struct pmu_family *ret)
{
    uint32_t words[4];

    memcpy(ret->kind, pmu, sizeof(ret->kind));
    port_cpuid(LEAF_FEATURES, 0, words);
    if ( !(words[3] & HYBRID) || highest < LEAF_KIND )
        return;
    port_cpuid(LEAF_KIND, 0, words);
    ret->kind[1] ^= words[0];
}

enum pmu_presence pmu_intel_look(uint32_t highest, struct pmu_family *ret)
{
    uint32_t words[4], version, counters;

    if ( highest < LEAF_PMU )
        return PMU_ABSENT;
    port_cpuid(LEAF_PMU, 0, words);
    version = words[0] & 0xff;
    counters = words[0] >> 8 & 0xff;
    if ( !version || !counters )
        return PMU_ABSENT;
    if ( version == 1 )
        return PMU_TOO_OLD;
    *ret = (struct pmu_family){
        .name = "Intel",
        .select = 0x186,
        .counter = 0xc1,
        .step = 1,
        .fixed = 0x309,
        .fixed_control = 0x38d,
        .fixed_there = fixed_counters(words),
        .counters = counters < COUNTERS_OF_ALL ? counters : COUNTERS_OF_ALL,
        .width = words[0] >> 16 & 0xff,
        .status = 0x38e,
        .clear = 0x390,
        .control = 0x38f,
        .allowed = PMU_SELECT_COMMON,
        .frequent = {0x3c, 0xc0},
        .masks_itself = true,
    };
    note_kind(highest, words, ret);
    return PMU_PRESENT;
}
