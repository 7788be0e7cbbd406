/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters, register by register.  They count up, and overflow where they
 * become 0: so one is given its period's negative.
 *
 * A counter is given its value before it is enabled, or it would overflow when
 * it likes; its old overflow is cleared before interrupts are let in, or the
 * next one would not come; and it is disabled before it is looked at for the
 * last time.
 */
#include "pmu-counters.h"

static uint64_t mask_of(const struct pmu_family *family)
{
    return (1ul << family->width) - 1;
}

static void select(const struct pmu_slot *slot, uint64_t value)
{
    uint64_t others = slot->others ? port_msr_read(slot->select) & slot->others
                                   : 0;

    port_msr_write(slot->select, others | value);
}

static void count_from(const struct pmu_family *family,
                       const struct pmu_slot *slot, uint32_t period)
{
    port_msr_write(slot->counter, -(uint64_t)period & mask_of(family));
}

void pmu_counters_pause(const struct pmu_family *family,
                        const struct pmu_set *set)
{
    if ( family->control )
        port_msr_write(family->control,
                       port_msr_read(family->control) & ~set->bits);
}

void pmu_counters_go(const struct pmu_family *family, const struct pmu_set *set)
{
    if ( family->control )
        port_msr_write(family->control,
                       port_msr_read(family->control) | set->bits);
}

uint32_t pmu_counters_left(const struct pmu_family *family,
                           const struct pmu_slot *slot, uint32_t period)
{
    uint64_t left = -port_msr_read(slot->counter) & mask_of(family);

    return left && left < period ? left : 0;
}

static bool is_enabled(const struct pmu_slot *slot)
{
    return (port_msr_read(slot->select) & ~slot->others) == slot->enabled;
}

/* Of slots, those whose counter has passed 0.  One that lost its value has as
 * well: then it is not enabled any more, unless we have just disabled it. */
static uint32_t passed_zero(const struct pmu_family *family,
                            const struct pmu_set *set, uint32_t slots,
                            bool disabled)
{
    unsigned int top = family->width - 1;
    uint32_t found = 0;

    for ( ; slots; slots &= slots - 1 )
    {
        const struct pmu_slot *slot = &set->slot[__builtin_ctz(slots)];

        if ( !(port_msr_read(slot->counter) >> top & 1) &&
             (disabled || is_enabled(slot)) )
            found |= slots & -slots;
    }
    return found;
}

/* Of slots, those that the status register has. */
static uint32_t have_bits(const struct pmu_set *set, uint32_t slots,
                          uint64_t status)
{
    uint32_t found = 0;

    for ( ; slots; slots &= slots - 1 )
        if ( status & set->slot[__builtin_ctz(slots)].bit )
            found |= slots & -slots;
    return found;
}

uint32_t pmu_counters_overflowed(const struct pmu_family *family,
                                 const struct pmu_set *set,
                                 const struct pmu_here *here)
{
    uint32_t slots = here->counting & ((1u << PMU_SLOTS) - 1);
    uint64_t status;

    if ( !family->status )
        return passed_zero(family, set, slots, here->changing);
    status = port_msr_read(family->status) & set->bits;
    return status ? have_bits(set, slots, status) : 0;
}

void pmu_counters_again(const struct pmu_family *family,
                        const struct pmu_set *set, unsigned int slot,
                        uint32_t period, bool stop)
{
    if ( stop )
        select(&set->slot[slot], 0);
    count_from(family, &set->slot[slot], period);
    if ( family->clear )
        port_msr_write(family->clear, set->slot[slot].bit);
}

void pmu_counters_arm(const struct pmu_family *family,
                      const struct pmu_set *set, struct pmu_here *here)
{
    pmu_counters_pause(family, set);
    for ( unsigned int i = 0; i < set->slots; i++ )
    {
        const struct pmu_slot *slot = &set->slot[i];

        select(slot, 0);
        count_from(family, slot,
                   here->left[slot->event] ?: here->stands[slot->event]);
    }
    if ( family->clear )
        port_msr_write(family->clear, set->bits);
    port_pmi_unmask();
    here->counting = (1u << set->slots) - 1;
    /* From here on what has passed 0 has overflowed. */
    __atomic_store_n(&here->armed, 1, __ATOMIC_SEQ_CST);
    for ( unsigned int i = 0; i < set->slots; i++ )
        select(&set->slot[i], set->slot[i].enabled);
    pmu_counters_go(family, set);
}

uint32_t pmu_counters_disarm(const struct pmu_family *family,
                             const struct pmu_set *set, uint64_t follow,
                             struct pmu_here *here)
{
    uint32_t found;

    pmu_counters_pause(family, set);
    for ( unsigned int i = 0; i < set->slots; i++ )
        select(&set->slot[i], 0);
    found = pmu_counters_overflowed(family, set, here);
    /* From here on an NMI does not find the overflow any more. */
    if ( found )
        __atomic_store_n(&here->follows, follow, __ATOMIC_RELAXED);
    __atomic_store_n(&here->armed, 0, __ATOMIC_SEQ_CST);
    for ( unsigned int i = 0; i < set->slots; i++ )
    {
        const struct pmu_slot *slot = &set->slot[i];
        bool done = (found | ~here->counting) >> i & 1;

        here->left[slot->event] = done ? 0
                                       : pmu_counters_left(
                                             family, slot,
                                             here->stands[slot->event]);
        port_msr_write(slot->counter, 0);
    }
    if ( family->clear )
        port_msr_write(family->clear, set->bits);
    return found;
}

void pmu_counters_clear(const struct pmu_family *family,
                        const struct pmu_slot *slot)
{
    if ( !is_enabled(slot) )
        return;
    if ( family->control )
        port_msr_write(family->control,
                       port_msr_read(family->control) & ~slot->bit);
    select(slot, 0);
    port_msr_write(slot->counter, 0);
    if ( family->clear )
        port_msr_write(family->clear, slot->bit);
}

uint32_t pmu_counters_intact(const struct pmu_family *family,
                             const struct pmu_set *set)
{
    uint64_t control = family->control ? port_msr_read(family->control)
                                       : set->bits;
    uint32_t intact = 0;

    for ( unsigned int i = 0; i < set->slots; i++ )
        if ( control & set->slot[i].bit && is_enabled(&set->slot[i]) )
            intact |= 1u << i;
    return intact;
}
