/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a processor, as a table of registers: families differ in
 * what they have, and in nothing else.  A family is a file (pmu-intel.c,
 * pmu-amd.c), which reads CPUID alone.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_FAMILY_H
#define XENOPROF_HYPERVISOR_PMU_FAMILY_H

#include "hypervisor/port.h"

/* Bits of an event select register, the same for both makers. */
#define PMU_SELECT_USER      (1ul << 16)
#define PMU_SELECT_OS        (1ul << 17)
#define PMU_SELECT_INTERRUPT (1ul << 20)
#define PMU_SELECT_ENABLE    (1ul << 22)
/* Event, unit mask, modes, edge, invert and threshold. */
#define PMU_SELECT_COMMON 0xff87fffful

#define PMU_COUNTERS_MAX 16u

/* Registers that a family lacks are 0. */
struct pmu_family {
    const char *name;
    uint32_t select;  /* of counter 0, */
    uint32_t counter; /* its count, */
    uint32_t step;    /* and from one counter's to the next's */
    uint32_t fixed;   /* the first fixed counter, */
    uint32_t fixed_control;
    uint64_t fixed_there; /* and those that there are, a set */
    uint32_t there;       /* and counters that any event may use, a set */
    uint32_t width;       /* bits of a counter */
    uint32_t status;      /* which counters overflowed, */
    uint32_t clear;       /* and where that is cleared */
    uint32_t control;     /* which counters count */
    uint64_t allowed;     /* bits of a select value that may be asked for */
    uint16_t frequent[2]; /* events and unit masks as common as cycles */
    bool masks_itself;    /* each interrupt masks the next */
    /* Equal on processors of one kind. */
    uint32_t kind[4];
};

/* What a processor has, without looking at a register. */
enum pmu_presence {
    PMU_PRESENT,
    PMU_ABSENT,  /* none that CPUID shows */
    PMU_TOO_OLD, /* Intel's first version, without a status register */
};

/* Fills in the family of this pCPU's processor. [call] */
enum pmu_presence pmu_look(struct pmu_family *ret);

/* The same for a processor of this maker. [call] */
enum pmu_presence pmu_intel_look(uint32_t highest, struct pmu_family *ret);
enum pmu_presence pmu_amd_look(uint32_t highest, struct pmu_family *ret);

#endif
