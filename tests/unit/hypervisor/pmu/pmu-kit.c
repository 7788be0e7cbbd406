/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pmu-kit.h"

static const char *const names[PROCESS_PMU_FAMILIES] = {
    [PROCESS_PMU_NONE] = "none",
    [PROCESS_PMU_INTEL_V1] = "Intel v1",
    [PROCESS_PMU_INTEL_V2] = "Intel v2",
    [PROCESS_PMU_INTEL_V5] = "Intel v5",
    [PROCESS_PMU_INTEL_V6] = "Intel v6",
    [PROCESS_PMU_HYBRID] = "hybrid",
    [PROCESS_PMU_K7] = "K7",
    [PROCESS_PMU_CORE] = "core",
    [PROCESS_PMU_PERFMON2] = "PerfMonV2",
    [PROCESS_PMU_IBS] = "IBS",
    [PROCESS_PMU_IBS2] = "IBS, PerfMonV2",
    [PROCESS_PMU_EMULATED] = "emulated",
};

const char *pmu_family_name(enum process_pmu_family family)
{
    return names[family];
}

void pmu_host(enum process_pmu_family family, unsigned int pcpus)
{
    process_reset(pcpus);
    process_pmu_reset(family);
    for ( unsigned int i = 0; i < pcpus; i++ )
        process_set_current(i, 5, i);
}

void pmu_reserve(void)
{
    kit_done("reserve sampler=pmu frequency=100 mask=0 pages=16 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_PMU);
}

struct pmu_here *pmu_here(unsigned int pcpu)
{
    return &session_pcpu(session_current(), pcpu)->pmu;
}

static bool is_others(const struct process_pmu *pmu, unsigned int counter)
{
    return pmu->owned >> counter & 1 ||
           (counter == 0 && process_host()->watchdog);
}

uint64_t pmu_overflows(void)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        for ( unsigned int j = 0; j < sizeof(process_pmu(i)->overflows) / 8;
              j++ )
            if ( !is_others(process_pmu(i), j) )
                sum += process_pmu(i)->overflows[j];
    return sum;
}

uint64_t pmu_leaked(void)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        sum += process_pcpu(i)->nmis_passed - process_pmu(i)->ticks;
    return sum;
}

/* A tag that was under way as the unit was disabled may still come. */
static const uint64_t tags[PROCESS_TAGGED] = {1ul << 49, 1ul << 18};

static uint64_t unread(const struct process_pmu *pmu)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < PROCESS_TAGGED; i++ )
        sum += pmu->ibs[i].control & tags[i] && !pmu->ibs[i].seen;
    return sum;
}

void pmu_check_silent(void)
{
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
    {
        const struct process_pmu *pmu = process_pmu(i);

        if ( !process_pcpu(i)->online )
            continue;
        for ( unsigned int j = 0; j < PROCESS_COUNTERS; j++ )
            if ( !is_others(pmu, j) )
                CHECK(!pmu->select[j] && !pmu->counter[j]);
        for ( unsigned int j = 0; j < PROCESS_FIXED; j++ )
            CHECK(!pmu->fixed[j]);
        CHECK_EQ(pmu->fixed_control, 0);
        for ( unsigned int j = 0; j < PROCESS_TAGGED; j++ )
            CHECK_EQ(pmu->ibs[j].control & ~tags[j], 0);
        for ( unsigned int j = 0; j < PROCESS_ENTRIES; j++ )
            CHECK(!pmu->extra[j] || pmu->extra[j] & 0x10000);
        CHECK(pmu->entry & PROCESS_ENTRY_MASKED || process_host()->watchdog);
    }
}

void pmu_stop_and_check(uint64_t strays)
{
    const struct xenoprof_status_page *status;

    kit_done("stop");
    process_settle();
    pmu_check_silent();
    kit_check_sums();
    status = kit_status();
    CHECK_EQ(status->counters.due, pmu_overflows());
    CHECK_EQ(pmu_leaked(), strays);
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
    {
        const struct process_pmu *pmu = process_pmu(i);
        const uint64_t *seen = pmu->overflows + PROCESS_COUNTERS +
                               PROCESS_FIXED;

        /* A unit that was disabled as it tagged. */
        CHECK_EQ(pmu->tags, seen[0] + seen[1] + pmu->cleared + unread(pmu));
        CHECK_EQ(pmu->starved, strays ? pmu->starved : 0);
    }
}
