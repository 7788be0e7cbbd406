/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose processor this is.
 */
#include "pmu-family.h"

#define LETTERS(a, b, c, d)                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 |                \
     (uint32_t)(d) << 24)

/* The first four letters of what CPUID says are enough. */
#define MAKER_INTEL LETTERS('G', 'e', 'n', 'u')
#define MAKER_AMD   LETTERS('A', 'u', 't', 'h')
#define MAKER_HYGON LETTERS('H', 'y', 'g', 'o')

enum pmu_presence pmu_look(struct pmu_family *ret)
{
    uint32_t words[4];

    memset(ret, 0, sizeof(*ret));
    port_cpuid(0, 0, words);
    switch ( words[1] )
    {
    case MAKER_INTEL: return pmu_intel_look(words[0], ret);
    case MAKER_AMD:
    case MAKER_HYGON: return pmu_amd_look(words[0], ret);
    }
    return PMU_ABSENT;
}
