/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IBS, register by register.
 *
 * A unit gets its count while it is disabled, in a write of its own: some
 * processors go on from the old count otherwise.  Every write of its register
 * says whether there is a tag, so one that is not to be lost is written back.
 */
#include "pmu-ibs.h"

#define LEAF_FAMILY   1u
#define LEAF_EXTENDED 0x80000000u
#define LEAF_FEATURES 0x80000001u
#define LEAF_IBS      0x8000001bu
#define HAS_IBS       (1u << 10) /* in ecx of LEAF_FEATURES; */
#define HAS_ENTRIES   (1u << 3)  /* the same: more entries for interrupts */

/* In eax of LEAF_IBS. */
#define IS_VALID     (1u << 0)
#define HAS_FETCH    (1u << 1)
#define HAS_OP       (1u << 2)
#define READS_COUNT  (1u << 3) /* the op unit's count can be read and written */
#define COUNTS_OPS   (1u << 4) /* it counts ops as well as cycles */
#define COUNTS_WIDER (1u << 6) /* its count has 7 bits more */
#define IS_INVALID   (1u << 7) /* an address that is not valid */
#define OP_NEEDED    (IS_VALID | HAS_OP | READS_COUNT | IS_INVALID)

/* Before it, a fetch unit may make interrupts without end once it is disabled
 * (erratum 420 of family 10h). */
#define FAMILY_LEAST 0x15u

#define MSR_CONTROL      0xc001103au /* which entry, and whether that holds */
#define CONTROL_ENTRY    0xful
#define CONTROL_IS_VALID (1ul << 8)

#define COUNT_BITS   0xffffu    /* of a unit's register: the count / 16, */
#define COUNT_HIGHER 0x7f00000u /* and more of it, in their own place */
#define MOST         (COUNT_BITS * PMU_IBS_STEP)
#define MOST_WIDER   (MOST | COUNT_HIGHER)

#define FETCH_RANDOM (1ul << 57) /* the low four bits of each count are */

#define OP_INVALID (1ul << 38) /* of its data: the address is not */

static const struct unit {
    uint32_t control, address, data; /* registers; 0: none */
    uint64_t enable, tag;
    uint64_t always;  /* options that are, */
    uint64_t asked;   /* and that may be */
    unsigned int now; /* where it has what it has counted: */
    uint64_t now_bits;
    uint32_t now_step;
} units[XENOPROF_IBS_UNITS] = {
    [XENOPROF_IBS_FETCH] = {0xc0011030, 0xc0011031, 0, 1ul << 48, 1ul << 49,
                            FETCH_RANDOM, 0, 16, 0xffff, PMU_IBS_STEP},
    [XENOPROF_IBS_OP] = {0xc0011033, 0xc0011034, 0xc0011035, 1ul << 17,
                         1ul << 18, 0, XENOPROF_IBS_OPS, 32, 0x7ffffff, 1},
};

static uint32_t processor_family(void)
{
    uint32_t words[4], base;

    port_cpuid(LEAF_FAMILY, 0, words);
    base = words[0] >> 8 & 0xf;
    return base == 0xf ? base + (words[0] >> 20 & 0xff) : base;
}

void pmu_ibs_look(struct pmu_ibs *ret)
{
    uint32_t words[4];

    memset(ret, 0, sizeof(*ret));
    port_cpuid(LEAF_EXTENDED, 0, words);
    if ( words[0] < LEAF_IBS || processor_family() < FAMILY_LEAST )
        return;
    port_cpuid(LEAF_FEATURES, 0, words);
    if ( !(words[2] & HAS_IBS) || !(words[2] & HAS_ENTRIES) )
        return;
    port_cpuid(LEAF_IBS, 0, words);
    if ( words[0] & IS_VALID && words[0] & HAS_FETCH )
        ret->most[XENOPROF_IBS_FETCH] = MOST;
    if ( (words[0] & OP_NEEDED) != OP_NEEDED )
        return;
    ret->most[XENOPROF_IBS_OP] = words[0] & COUNTS_WIDER ? MOST_WIDER : MOST;
    ret->options[XENOPROF_IBS_OP] = words[0] & COUNTS_OPS ? XENOPROF_IBS_OPS
                                                          : 0;
}

enum pmu_ibs_refusal pmu_ibs_refusal(const struct pmu_ibs_signs *signs)
{
    if ( !signs->there )
        return PMU_IBS_REFUSED_LACKS;
    if ( !(signs->control & CONTROL_IS_VALID) )
        return PMU_IBS_REFUSED_NO_ENTRY;
    if ( signs->entry && (signs->control & CONTROL_ENTRY) + 1 != signs->entry )
        return PMU_IBS_REFUSED_DIFFERS;
    if ( !signs->free )
        return PMU_IBS_REFUSED_USED;
    return signs->counts ? PMU_IBS_REFUSED_COUNTS : PMU_IBS_NOT_REFUSED;
}

static bool is_alike(const struct pmu_ibs *ibs, const struct pmu_ibs *other)
{
    for ( unsigned int i = XENOPROF_IBS_FETCH; i < XENOPROF_IBS_UNITS; i++ )
        if ( ibs->most[i] != other->most[i] ||
             ibs->options[i] != other->options[i] )
            return false;
    return true;
}

/* Every register that an NMI reads.  Returns whether they are there. */
static bool try_unit(const struct unit *unit, bool *counts)
{
    uint64_t value, ignored;

    if ( !port_msr_try(unit->control, &value) ||
         !port_msr_try(unit->address, &ignored) ||
         (unit->data && !port_msr_try(unit->data, &ignored)) )
        return false;
    *counts |= value & unit->enable;
    return true;
}

enum pmu_ibs_refusal pmu_ibs_check(const struct pmu_ibs *ibs, uint32_t *entry)
{
    struct pmu_ibs_signs signs = {.counts = false};
    struct pmu_ibs here;
    uint32_t none = 0, own;

    pmu_ibs_look(&here);
    signs.there = is_alike(ibs, &here);
    for ( unsigned int i = XENOPROF_IBS_FETCH; i < XENOPROF_IBS_UNITS; i++ )
        if ( ibs->most[i] )
            signs.there = signs.there && try_unit(&units[i], &signs.counts);
    signs.there = signs.there && port_msr_try(MSR_CONTROL, &signs.control);
    own = (signs.control & CONTROL_ENTRY) + 1;
    if ( signs.there && signs.control & CONTROL_IS_VALID &&
         !__atomic_compare_exchange_n(entry, &none, own, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
        signs.entry = none;
    signs.free = signs.there && port_extra_free(own - 1);
    return pmu_ibs_refusal(&signs);
}

void pmu_ibs_slot(enum xenoprof_ibs unit, uint64_t options,
                  struct pmu_slot *ret)
{
    ret->ibs = unit;
    ret->select = units[unit].control;
    ret->counter = units[unit].address;
    ret->bit = units[unit].tag;
    ret->enabled = units[unit].enable | units[unit].always | options;
    ret->others = ~(ret->enabled | units[unit].asked);
}

static const struct unit *unit_of(const struct pmu_slot *slot)
{
    return &units[slot->ibs % XENOPROF_IBS_UNITS];
}

uint64_t pmu_ibs_found(const struct pmu_slot *slot, uint64_t value)
{
    const struct unit *unit = unit_of(slot);

    return value & ~(unit->enable | unit->tag | unit->now_bits << unit->now);
}

/* An enabled unit with a count that is too small may fault, in an NMI too. */
static uint64_t count_bits(uint32_t period)
{
    if ( period < PMU_IBS_LEAST )
        period = PMU_IBS_LEAST;
    return (period / PMU_IBS_STEP & COUNT_BITS) | (period & COUNT_HIGHER);
}

uint64_t pmu_ibs_disabled(const struct pmu_slot *slot, uint32_t period)
{
    return count_bits(period) | (slot->enabled & ~unit_of(slot)->enable);
}

void pmu_ibs_count_from(const struct pmu_slot *slot, uint32_t period)
{
    port_msr_write(slot->select, count_bits(period));
}

/* What it has counted is anything while it is disabled: that is not kept. */
void pmu_ibs_go(const struct pmu_slot *slot, uint32_t period)
{
    port_msr_write(slot->select, count_bits(period) | slot->enabled);
}

uint64_t pmu_ibs_left(const struct pmu_slot *slot)
{
    const struct unit *unit = unit_of(slot);
    uint64_t value = port_msr_read(slot->select);
    uint64_t counted = (value >> unit->now & unit->now_bits) * unit->now_step;
    uint64_t period = (value & COUNT_BITS) * PMU_IBS_STEP;

    if ( slot->ibs == XENOPROF_IBS_OP )
        period |= value & COUNT_HIGHER;
    return period > counted ? period - counted : 0;
}

uint64_t pmu_ibs_address(const struct pmu_slot *slot)
{
    if ( slot->ibs == XENOPROF_IBS_OP &&
         port_msr_read(units[XENOPROF_IBS_OP].data) & OP_INVALID )
        return 0;
    return port_msr_read(slot->counter);
}

void pmu_ibs_again(const struct pmu_slot *slot, uint32_t period, bool stop)
{
    uint64_t bits = count_bits(period);

    port_msr_write(slot->select, bits);
    if ( !stop )
        port_msr_write(slot->select, bits | slot->enabled);
}
