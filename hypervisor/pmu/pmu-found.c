/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A register that a fixed counter has a part of is nowhere here: that part is 0
 * before and behind, or the counter is somebody else's (pmu-setup.c). */
#include "pmu-found.h"

static const struct pmu_register *find(const struct pmu_found *found,
                                       uint32_t msr)
{
    for ( uint32_t i = 0; i < found->count; i++ )
        if ( found->list[i].msr == msr )
            return &found->list[i];
    return NULL;
}

static void note_found(struct pmu_found *found, const struct pmu_slot *slot)
{
    uint64_t value;

    if ( (slot->others && !slot->ibs) || find(found, slot->select) ||
         found->count == PMU_FOUND_MAX )
        return;
    value = port_msr_read(slot->select);
    if ( slot->ibs )
        value = pmu_ibs_found(slot, value);
    found->list[found->count++] = (struct pmu_register){slot->select, value};
}

void pmu_found_note(const struct pmu *pmu, struct pmu_found *found)
{
    memset(found, 0, sizeof(*found));
    for ( uint32_t set = 0; set < pmu->sets; set++ )
        for ( uint32_t i = 0; i < pmu->set[set].slots; i++ )
            note_found(found, &pmu->set[set].slot[i]);
    if ( pmu->family.control )
        found->control = port_msr_read(pmu->family.control);
    found->entry = port_pmi_entry();
}

void pmu_found_note_extra(const struct pmu *pmu, struct pmu_found *found)
{
    found->extra = port_extra_entry(pmu->entry - 1);
}

static void put_back_control(const struct pmu *pmu,
                             const struct pmu_found *found)
{
    uint64_t ours = 0;

    for ( uint32_t set = 0; set < pmu->sets; set++ )
        ours |= pmu->set[set].bits;
    port_msr_write(pmu->family.control,
                   (port_msr_read(pmu->family.control) & ~ours) |
                       (found->control & ours));
}

void pmu_found_put_back(const struct pmu *pmu, const struct pmu_found *found,
                        bool with_ibs)
{
    for ( uint32_t i = 0; i < found->count; i++ )
        port_msr_write(found->list[i].msr, found->list[i].value);
    if ( pmu->family.control )
        put_back_control(pmu, found);
    /* The watchdog's is as we had it. */
    if ( !pmu->watchdog )
        port_pmi_put_back(found->entry);
    if ( pmu->entry && with_ibs )
        port_extra_put_back(pmu->entry - 1, found->extra);
}

uint64_t pmu_found_select(const struct pmu_found *found,
                          const struct pmu_slot *slot)
{
    const struct pmu_register *one = find(found, slot->select);

    return one ? one->value : 0;
}
