/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each pCPU takes its own rows, so that calls to all of them need no lock. */
#include "pmu-left.h"

static struct left {
    uint32_t pcpu; /* + 1; 0: no row */
    struct pmu_slot slot;
    struct pmu_before before;
} all[PMU_LEFT_MAX];

static bool is_noted(unsigned int pcpu, const struct pmu_slot *slot)
{
    for ( unsigned int i = 0; i < PMU_LEFT_MAX; i++ )
        if ( all[i].pcpu == pcpu + 1 && all[i].slot.counter == slot->counter )
            return true;
    return false;
}

static void note_left_slot(unsigned int pcpu, const struct pmu_slot *slot,
                           const struct pmu_found *found)
{
    struct pmu_before before = {
        .select = pmu_found_select(found, slot),
        .control = found->control & slot->bit,
    };

    for ( unsigned int i = 0; i < PMU_LEFT_MAX; i++ )
        if ( !all[i].pcpu )
        {
            all[i] = (struct left){pcpu + 1, *slot, before};
            return;
        }
}

/* The set that counts comes first: a register is noted as that has it. */
void pmu_left_note(unsigned int pcpu, const struct pmu *pmu,
                   const struct pmu_here *here)
{
    for ( uint32_t n = 0; n < pmu->sets; n++ )
    {
        const struct pmu_set *set = &pmu->set[(here->set + n) % pmu->sets];

        for ( unsigned int i = 0; i < set->slots; i++ )
            if ( pmu_usable(set, here) >> i & 1 &&
                 !is_noted(pcpu, &set->slot[i]) )
                note_left_slot(pcpu, &set->slot[i], &here->found);
    }
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
        pmu_counters_clear(family, &all[i].slot, &all[i].before);
        all[i].pcpu = 0;
    }
}
