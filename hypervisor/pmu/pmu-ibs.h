/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AMD's instruction-based sampling (IBS): two units beside the counters, of
 * fetches and of ops.  A unit counts, tags what it then comes to, and when that
 * is over has an address that is exact.  One register starts a unit, says how
 * far it counts and that a tag is there, so a slot of a set is enough for it.
 *
 * Its NMI comes by an entry of the interrupt controller that the firmware has
 * chosen.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_IBS_H
#define XENOPROF_HYPERVISOR_PMU_IBS_H

#include <xenoprof/door.h>

#include "hypervisor/port.h"
#include "pmu-slot.h"

/* Counts are multiples of this, */
#define PMU_IBS_STEP 16u
/* and a unit takes none that is smaller than this. */
#define PMU_IBS_LEAST 0x90u

/* What a processor has, by CPUID alone, of each unit: enum xenoprof_ibs. */
struct pmu_ibs {
    uint32_t most[XENOPROF_IBS_UNITS];    /* that it counts; 0: no such unit */
    uint64_t options[XENOPROF_IBS_UNITS]; /* that may be asked for */
};

/* Why units cannot be used on a pCPU, the first that holds. */
enum pmu_ibs_refusal {
    PMU_IBS_NOT_REFUSED,
    PMU_IBS_REFUSED_LACKS,    /* a register, or what a unit can, is not there
                                 after all */
    PMU_IBS_REFUSED_NO_ENTRY, /* the firmware has chosen none */
    PMU_IBS_REFUSED_DIFFERS,  /* another one than elsewhere */
    PMU_IBS_REFUSED_USED,     /* it makes interrupts for somebody else */
    PMU_IBS_REFUSED_COUNTS,   /* a unit counts for somebody else */
};

/* What decides that. */
struct pmu_ibs_signs {
    bool there;       /* all registers, of units that can what they should */
    uint64_t control; /* of them, the one that says which entry */
    uint32_t entry;   /* + 1, that another pCPU has; 0: none yet */
    bool free;        /* the entry is there, and makes no interrupt */
    bool counts;      /* a unit is enabled */
};

/* Fills in what this pCPU's processor has. [call] */
void pmu_ibs_look(struct pmu_ibs *ret);

/* Decides; a pure function. */
enum pmu_ibs_refusal pmu_ibs_refusal(const struct pmu_ibs_signs *signs);

/* Looks at the registers of this pCPU, whose units must be these.  *entry is
 * the entry + 1 that all must have, filled in by the first. [call] */
enum pmu_ibs_refusal pmu_ibs_check(const struct pmu_ibs *ibs, uint32_t *entry);

/* Makes the slot of a unit, with options that were checked. */
void pmu_ibs_slot(enum xenoprof_ibs unit, uint64_t options,
                  struct pmu_slot *ret);

/* Of a slot that is a unit's: as pmu-counters.h has it for counters. ------- */

/* Returns what is kept of the register of a unit that is disabled: no tag, and
 * no count. [call] */
uint64_t pmu_ibs_found(const struct pmu_slot *slot, uint64_t value);
/* Returns what is written to it at that period, disabled. [call] */
uint64_t pmu_ibs_disabled(const struct pmu_slot *slot, uint32_t period);
/* Has it count so many, once it is enabled: it has no tag, and is not. [nmi] */
void pmu_ibs_count_from(const struct pmu_slot *slot, uint32_t period);
/* Enables it, after that and with the same period. [nmi] */
void pmu_ibs_go(const struct pmu_slot *slot, uint32_t period);
/* Returns how many it has still to count, 0 if that is not known; it is
 * enabled. [call] */
uint64_t pmu_ibs_left(const struct pmu_slot *slot);
/* Returns the address of what was tagged, or 0 if it is not valid. [nmi] */
uint64_t pmu_ibs_address(const struct pmu_slot *slot);
/* Has it count a period anew, or with stop count no more: no tag. [nmi] */
void pmu_ibs_again(const struct pmu_slot *slot, uint32_t period, bool stop);

/* Whether a tag is one: some processors tag fetches of nothing, at address 0
 * (erratum 1197 of family 19h). [nmi] */
static inline bool pmu_ibs_is_real(const struct pmu_slot *slot,
                                   uint64_t address)
{
    return slot->ibs != XENOPROF_IBS_FETCH || address;
}

/*
 * Whether what was tagged can be what was interrupted then: between the two
 * a guest may have entered Xen, or a kernel have been left.  Xen has the same
 * addresses to itself in all PV guests, and 64-bit kernels leave them free.
 * [nmi]
 */
static inline bool pmu_ibs_fits(const struct port_state *at, uint64_t address)
{
    bool in_xen = address >> 43 == 0xffff800000000000ul >> 43;

    return address && in_xen == (at->mode == XENOPROF_MODE_XEN) &&
           address >> 63 == at->ip >> 63;
}

#endif
