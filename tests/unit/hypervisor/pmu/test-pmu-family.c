/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/pmu/pmu-family.h"
#include "pmu-kit.h"

/* What each processor is taken for, by CPUID alone. */
static const struct {
    enum process_pmu_family processor;
    enum pmu_presence presence;
    const char *name;
    uint32_t there, width;
    uint64_t fixed;
    bool status;
} table[] = {
    {PROCESS_PMU_NONE, PMU_ABSENT, NULL, 0, 0, 0, false},
    {PROCESS_PMU_EMULATED, PMU_ABSENT, NULL, 0, 0, 0, false},
    {PROCESS_PMU_INTEL_V1, PMU_TOO_OLD, NULL, 0, 0, 0, false},
    {PROCESS_PMU_INTEL_V2, PMU_PRESENT, "Intel", 0x3, 48, 7, true},
    {PROCESS_PMU_INTEL_V5, PMU_PRESENT, "Intel", 0xf, 48, 15, true},
    {PROCESS_PMU_INTEL_V6, PMU_PRESENT, "Intel", 0xd, 48, 5, true},
    {PROCESS_PMU_HYBRID, PMU_PRESENT, "Intel", 0xf, 48, 15, true},
    {PROCESS_PMU_K7, PMU_PRESENT, "AMD K7", 0xf, 48, 0, false},
    {PROCESS_PMU_CORE, PMU_PRESENT, "AMD core", 0x3f, 48, 0, false},
    {PROCESS_PMU_PERFMON2, PMU_PRESENT, "AMD PerfMonV2", 0x3f, 48, 0, true},
};

TEST(pmu_families_are_told_apart)
{
    for ( unsigned int i = 0; i < sizeof(table) / sizeof(*table); i++ )
    {
        struct pmu_family family;

        pmu_host(table[i].processor, 1);
        CHECK_EQ(pmu_look(&family), table[i].presence);
        if ( table[i].presence != PMU_PRESENT )
            continue;
        CHECK_TEXT(family.name, table[i].name);
        CHECK_EQ(family.there, table[i].there);
        CHECK_EQ(family.width, table[i].width);
        CHECK_EQ(family.fixed_there, table[i].fixed);
        CHECK_EQ(family.status != 0, table[i].status);
    }
}
