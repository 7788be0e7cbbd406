/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel's architectural counters, versions 2 to 6: CPUID leaf 0xA.  Version 6
 * says in leaf 0x23 which there are, for some in between may be missing; the
 * registers of before stay.
 */
#include <xenoprof/door.h>

#include "pmu-family.h"

#define LEAF_FEATURES 7u
#define LEAF_PMU      0xau
#define LEAF_KIND     0x1au
#define LEAF_PMU_MORE 0x23u
#define HYBRID        (1u << 15) /* in edx of LEAF_FEATURES */

#define VERSION_FIXED_SET 5u /* from here on ecx has a set of them */

#define HAS_PMU_MORE (1u << 8) /* in eax of LEAF_FEATURES, 1 */
#define HAS_COUNTERS (1u << 1) /* in eax of LEAF_PMU_MORE */

/* Events that are not architectural count in the first four only. */
#define COUNTERS_OF_ALL 0xfu

static uint64_t fixed_counters(const uint32_t words[4])
{
    uint64_t there = (1ul << (words[3] & 31)) - 1;

    if ( (words[0] & 0xff) >= VERSION_FIXED_SET )
        there |= words[2];
    return there & ((1ul << XENOPROF_EVENT_FIXED_MAX) - 1);
}

/* Fills in which counters there are, and which fixed ones. */
static void fill_in_counters(uint32_t highest, const uint32_t pmu[4],
                             struct pmu_family *ret)
{
    uint32_t words[4];

    ret->there = (1ul << (pmu[0] >> 8 & 31)) - 1;
    ret->fixed_there = fixed_counters(pmu);
    port_cpuid(LEAF_FEATURES, 1, words);
    if ( highest < LEAF_PMU_MORE || !(words[0] & HAS_PMU_MORE) )
        return;
    port_cpuid(LEAF_PMU_MORE, 0, words);
    if ( !(words[0] & HAS_COUNTERS) )
        return;
    port_cpuid(LEAF_PMU_MORE, 1, words);
    ret->there = words[0];
    ret->fixed_there = words[1] & ((1u << XENOPROF_EVENT_FIXED_MAX) - 1);
}

/* Hybrid processors have two kinds of cores, whose events differ. */
static void note_kind(uint32_t highest, const uint32_t pmu[4],
                      struct pmu_family *ret)
{
    uint32_t words[4];

    memcpy(ret->kind, pmu, sizeof(ret->kind));
    ret->kind[1] ^= ret->there;
    port_cpuid(LEAF_FEATURES, 0, words);
    if ( !(words[3] & HYBRID) || highest < LEAF_KIND )
        return;
    port_cpuid(LEAF_KIND, 0, words);
    ret->kind[1] ^= words[0];
}

enum pmu_presence pmu_intel_look(uint32_t highest, struct pmu_family *ret)
{
    uint32_t words[4], version;

    if ( highest < LEAF_PMU )
        return PMU_ABSENT;
    port_cpuid(LEAF_PMU, 0, words);
    version = words[0] & 0xff;
    if ( !version || !(words[0] >> 8 & 0xff) )
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
        .width = words[0] >> 16 & 0xff,
        .status = 0x38e,
        .clear = 0x390,
        .control = 0x38f,
        .allowed = PMU_SELECT_COMMON,
        .frequent = {0x3c, 0xc0},
        .masks_itself = true,
    };
    fill_in_counters(highest, words, ret);
    note_kind(highest, words, ret);
    ret->there &= COUNTERS_OF_ALL;
    return PMU_PRESENT;
}
