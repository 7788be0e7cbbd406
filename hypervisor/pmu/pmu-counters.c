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
#include "pmu-follow.h"

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
    if ( slot->ibs )
        pmu_ibs_count_from(slot, period);
    else
        port_msr_write(slot->counter, -(uint64_t)period & mask_of(family));
}

/* Of a slot that is disabled. */
static void forget(const struct pmu_slot *slot)
{
    port_msr_write(slot->ibs ? slot->select : slot->counter, 0);
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
    uint64_t left = slot->ibs ? pmu_ibs_left(slot)
                              : -port_msr_read(slot->counter) & mask_of(family);

    return left && left < period ? left : 0;
}

static bool is_enabled(const struct pmu_slot *slot)
{
    return (port_msr_read(slot->select) & ~slot->others) == slot->enabled;
}

/* A counter that lost its value has passed 0 as well: then it is not enabled
 * any more, unless we have just disabled it. */
__attribute__((always_inline)) static inline bool has_overflowed(
    const struct pmu_slot *slot, unsigned int top, bool disabled)
{
    if ( slot->ibs )
        return port_msr_read(slot->select) & slot->bit;
    return !(port_msr_read(slot->counter) >> top & 1) &&
           (disabled || is_enabled(slot));
}

/* Of slots, those that say so themselves.  Inlined: an NMI has one or the
 * other. */
__attribute__((always_inline)) static inline uint32_t look_at_each(
    const struct pmu_family *family, const struct pmu_set *set, uint32_t slots,
    bool disabled)
{
    unsigned int top = family->width - 1;
    uint32_t found = 0;

    for ( ; slots; slots &= slots - 1 )
        if ( has_overflowed(&set->slot[__builtin_ctz(slots)], top, disabled) )
            found |= slots & -slots;
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
    uint32_t slots = here->counting & ((1u << PMU_SLOTS) - 1), found;
    uint64_t status;

    if ( !family->status )
        return look_at_each(family, set, slots, here->changing);
    found = set->ibs ? look_at_each(family, set, slots & set->ibs, true) : 0;
    status = port_msr_read(family->status) & set->bits;
    return status ? found | have_bits(set, slots & ~set->ibs, status) : found;
}

void pmu_counters_again(const struct pmu_family *family,
                        const struct pmu_slot *slot, uint32_t period, bool stop)
{
    if ( slot->ibs )
    {
        pmu_ibs_again(slot, period, stop);
        return;
    }
    if ( stop )
        select(slot, 0);
    port_msr_write(slot->counter, -(uint64_t)period & mask_of(family));
    if ( family->clear )
        port_msr_write(family->clear, slot->bit);
}

static uint32_t to_count(const struct pmu_here *here,
                         const struct pmu_slot *slot)
{
    return here->left[slot->event] ?: here->stands[slot->event];
}

void pmu_counters_arm(const struct pmu_family *family,
                      const struct pmu_set *set, struct pmu_here *here)
{
    uint32_t usable = pmu_usable(set, here);

    pmu_counters_pause(family, set);
    for ( unsigned int i = 0; i < set->slots; i++ )
    {
        const struct pmu_slot *slot = &set->slot[i];

        if ( !(usable >> i & 1) )
            continue;
        if ( !slot->ibs )
            select(slot, 0);
        count_from(family, slot, to_count(here, slot));
    }
    if ( family->clear )
        port_msr_write(family->clear, set->bits);
    port_pmi_unmask();
    here->counting = usable;
    /* From here on what has passed 0 has overflowed. */
    __atomic_store_n(&here->armed, 1, __ATOMIC_SEQ_CST);
    for ( unsigned int i = 0; i < set->slots; i++ )
    {
        const struct pmu_slot *slot = &set->slot[i];

        if ( !(usable >> i & 1) )
            continue;
        if ( slot->ibs )
            pmu_ibs_go(slot, to_count(here, slot));
        else
            select(slot, slot->enabled);
    }
    pmu_counters_go(family, set);
}

/* Reads what units of IBS have still to count, which no register says of one
 * that is disabled.  One that tags meanwhile has its tag found later. */
static void note_left(const struct pmu_family *family,
                      const struct pmu_set *set, uint32_t slots,
                      struct pmu_here *here)
{
    for ( ; slots; slots &= slots - 1 )
    {
        const struct pmu_slot *slot = &set->slot[__builtin_ctz(slots)];

        here->left[slot->event] = pmu_counters_left(family, slot,
                                                    here->stands[slot->event]);
    }
}

uint32_t pmu_counters_disarm(const struct pmu_family *family,
                             const struct pmu_set *set, uint64_t millisecond,
                             struct pmu_here *here)
{
    uint32_t usable = pmu_usable(set, here), ibs = usable & set->ibs, found;

    pmu_counters_pause(family, set);
    note_left(family, set, ibs & here->counting, here);
    for ( unsigned int i = 0; i < set->slots; i++ )
        if ( usable >> i & 1 )
            select(&set->slot[i], 0);
    /* To disable a unit of IBS may have lost the tag that an NMI saw. */
    found = pmu_counters_overflowed(family, set, here) |
            (here->tagged & here->counting);
    /* From here on an NMI does not find the overflow any more; and what a unit
     * of IBS was about to tag it may still tag: NMIs come in here, so within
     * the time that an instruction takes. */
    here->more = ibs ? pmu_bits(ibs) - 1 : 0;
    if ( found )
        pmu_follow_late(here, millisecond);
    else if ( ibs )
        pmu_follow_soon(here, millisecond);
    __atomic_store_n(&here->armed, 0, __ATOMIC_SEQ_CST);
    for ( unsigned int i = 0; i < set->slots; i++ )
    {
        const struct pmu_slot *slot = &set->slot[i];
        bool done = (found | ~here->counting) >> i & 1;

        if ( !(usable >> i & 1) )
            continue;
        if ( done )
            here->left[slot->event] = 0;
        else if ( !slot->ibs )
            here->left[slot->event] = pmu_counters_left(
                family, slot, here->stands[slot->event]);
        /* What was under way when it was disabled. */
        if ( slot->ibs && has_overflowed(slot, 0, true) )
        {
            here->left[slot->event] = 0;
            found |= 1u << i;
        }
        forget(slot);
    }
    if ( family->clear )
        port_msr_write(family->clear, set->bits);
    return found;
}

/* Its turn is over, or it counts. */
static bool is_as_left(const struct pmu_slot *slot)
{
    uint64_t own = port_msr_read(slot->select) & ~slot->others;

    return !own || own == slot->enabled;
}

void pmu_counters_clear(const struct pmu_family *family,
                        const struct pmu_slot *slot,
                        const struct pmu_before *before)
{
    if ( !is_as_left(slot) )
        return;
    select(slot, 0);
    forget(slot);
    if ( slot->ibs || !slot->others )
        port_msr_write(slot->select, before->select);
    if ( slot->ibs )
        return;
    if ( family->control )
        port_msr_write(family->control,
                       (port_msr_read(family->control) & ~slot->bit) |
                           before->control);
    if ( family->clear )
        port_msr_write(family->clear, slot->bit);
}

uint32_t pmu_counters_intact(const struct pmu_family *family,
                             const struct pmu_set *set, uint32_t slots)
{
    uint64_t control = family->control ? port_msr_read(family->control)
                                       : set->bits;
    uint32_t intact = 0;

    for ( unsigned int i = 0; i < set->slots; i++ )
        if ( slots >> i & 1 &&
             (set->slot[i].ibs || control & set->slot[i].bit) &&
             is_enabled(&set->slot[i]) )
            intact |= 1u << i;
    return intact;
}
