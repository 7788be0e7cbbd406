/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gives a register back is tried as well: it may take nothing at all. */
#include <xenoprof/door.h>

#include "pmu-trial.h"

/* As far from an overflow as a counter can be set. */
static uint64_t far_from_zero(const struct pmu_family *family)
{
    return -(uint64_t)XENOPROF_EVENT_COUNT_MAX & ((1ul << family->width) - 1);
}

static void note_refused(struct pmu_refused *refused, uint32_t msr,
                         uint64_t value, bool faults)
{
    uint32_t none = 0;

    if ( !__atomic_compare_exchange_n(&refused->msr, &none, msr, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
        return;
    refused->pcpu = port_pcpu();
    refused->value = value;
    refused->faults = faults;
}

static bool try_write(struct pmu_refused *refused, uint32_t msr, uint64_t value)
{
    if ( port_msr_write_try(msr, value) )
        return true;
    note_refused(refused, msr, value, true);
    return false;
}

static bool try_counter(const struct pmu_family *family, uint32_t counter,
                        struct pmu_refused *refused)
{
    uint64_t value = far_from_zero(family);
    bool good = try_write(refused, counter, value);

    if ( good && port_msr_read(counter) != value )
    {
        note_refused(refused, counter, value, false);
        good = false;
    }
    return good;
}

static bool try_slot(const struct pmu *pmu, const struct pmu_slot *slot,
                     struct pmu_refused *refused)
{
    uint64_t before = port_msr_read(slot->select);
    bool good = slot->ibs || try_counter(&pmu->family, slot->counter, refused);
    uint64_t value = slot->ibs
                         ? pmu_ibs_disabled(slot, pmu->ibs.most[slot->ibs])
                         : slot->enabled | (before & slot->others);

    /* A counter at another value would soon overflow. */
    if ( good )
        good = try_write(refused, slot->select, value);
    try_write(refused, slot->select,
              slot->ibs ? pmu_ibs_found(slot, before) : before);
    return (slot->ibs || try_write(refused, slot->counter, 0)) && good;
}

static bool try_set(const struct pmu *pmu, const struct pmu_set *set,
                    struct pmu_refused *refused)
{
    const struct pmu_family *family = &pmu->family;
    uint64_t before = 0;
    bool good = true;

    if ( family->control )
    {
        before = port_msr_read(family->control);
        good = try_write(refused, family->control, before & ~set->bits);
    }
    for ( uint32_t i = 0; i < set->slots; i++ )
        good &= try_slot(pmu, &set->slot[i], refused);
    if ( family->clear )
        good &= try_write(refused, family->clear, set->bits);
    if ( family->control )
    {
        good &= try_write(refused, family->control, before | set->bits);
        good &= try_write(refused, family->control, before);
    }
    return good;
}

bool pmu_trial(const struct pmu *pmu, struct pmu_refused *ret)
{
    bool good = true;

    for ( uint32_t i = 0; i < pmu->sets; i++ )
        good &= try_set(pmu, &pmu->set[i], ret);
    return good;
}

bool pmu_trial_keeps(const struct pmu_family *family, uint32_t counter)
{
    struct pmu_refused ignored = {0};
    uint32_t msr = family->counter + counter * family->step;
    bool good = try_counter(family, msr, &ignored);

    return try_write(&ignored, msr, 0) && good;
}
