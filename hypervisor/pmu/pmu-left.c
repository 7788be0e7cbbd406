/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each pCPU takes its own rows, so that calls to all of them need no lock. */
#include "pmu-left.h"

static struct left {
    uint32_t pcpu; /* + 1; 0: no row */
    struct pmu_slot slot;
} all[PMU_LEFT_MAX];

static void note(unsigned int pcpu, const struct pmu_slot *slot)
{
    for ( unsigned int i = 0; i < PMU_LEFT_MAX; i++ )
        if ( !all[i].pcpu )
        {
            all[i] = (struct left){pcpu + 1, *slot};
            return;
        }
}

void pmu_left_note(unsigned int pcpu, const struct pmu_set *set, uint32_t slots)
{
    for ( unsigned int i = 0; i < set->slots; i++ )
        if ( slots >> i & 1 )
            note(pcpu, &set->slot[i]);
}

void pmu_left_forget(void)
{
    memset(all, 0, sizeof(all));
}

void pmu_left_clear(const struct pmu_family *family)
{
    unsigned int here = port_pcpu();

    for ( unsigned int i = 0; i < PMU_LEFT_MAX; i++ )
    {
        if ( all[i].pcpu != here + 1 )
            continue;
        pmu_counters_clear(family, &all[i].slot);
        all[i].pcpu = 0;
    }
}
