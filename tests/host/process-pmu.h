/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process port's counters of events: the registers of each fake pCPU, with
 * the rules of their family.
 *
 * A register that the family lacks, a bit that is not the module's, and an
 * order of writes that would lose or invent an interrupt on a real processor
 * abort, as wrong contexts do.
 */
#ifndef XENOPROF_TESTS_HOST_PROCESS_PMU_H
#define XENOPROF_TESTS_HOST_PROCESS_PMU_H

#include "host.h"

#define PROCESS_COUNTERS 8u
#define PROCESS_FIXED    4u
#define PROCESS_TAGGED   2u /* units of IBS: of fetches, of ops */
#define PROCESS_ENTRIES  4u

/* An entry of the interrupt controller. */
#define PROCESS_ENTRY_NMI    0x400u
#define PROCESS_ENTRY_MASKED 0x10000u

enum process_pmu_family {
    PROCESS_PMU_NONE,
    PROCESS_PMU_INTEL_V1,
    PROCESS_PMU_INTEL_V2,
    PROCESS_PMU_INTEL_V5,
    PROCESS_PMU_INTEL_V6, /* some counters in between are missing */
    PROCESS_PMU_HYBRID,   /* odd pCPUs are of another kind */
    PROCESS_PMU_K7,
    PROCESS_PMU_CORE,
    PROCESS_PMU_PERFMON2,
    PROCESS_PMU_IBS,      /* AMD's core, with IBS */
    PROCESS_PMU_IBS2,     /* the same with PerfMonV2, and wider counts */
    PROCESS_PMU_EMULATED, /* AMD's, as an emulator without counters shows it */
    PROCESS_PMU_FAMILIES
};

/* A unit of IBS (process-ibs.c). */
struct process_ibs {
    uint64_t control; /* without the count */
    uint64_t counted;
    uint64_t address; /* of what is tagged; tests say which */
    uint64_t data;
    bool seen;     /* its tag was read */
    uint32_t late; /* once it is disabled, it completes a tag that was under
                      way: so many accesses to registers later */
    uint32_t under_way;           /* it is: so many */
    uint64_t disabled, completed; /* process_now() */
};

/* The registers of a pCPU; tests may read and change all of it. */
struct process_pmu {
    uint64_t select[PROCESS_COUNTERS];
    uint64_t counter[PROCESS_COUNTERS];
    uint64_t fixed[PROCESS_FIXED];
    uint64_t fixed_control;
    uint64_t status;
    uint64_t control;
    uint32_t entry;      /* of the local vector table */
    bool latched;        /* an NMI of a counter waits to be taken */
    bool others_latched; /* so does one of somebody else's */
    struct process_ibs ibs[PROCESS_TAGGED];
    uint64_t ibs_control;            /* which entry, bit 8: that holds */
    uint32_t extra[PROCESS_ENTRIES]; /* entries, as the controller has them */
    uint32_t owned;                  /* counters that belong to others, a set */
    uint32_t deaf;                   /* counters that keep nothing, a set */
    uint32_t refuses;                /* a register that faults when it gets */
    uint64_t refused;                /* one of these bits */
    bool lacks;                      /* the registers are not there after all */
    uint32_t lacks_one;              /* nor is this one of IBS's */
    uint32_t signature;              /* CPUID's: of AMD's, the family, */
    uint32_t ibs_can;                /* and what IBS can */
    /* to be looked at: */
    uint64_t overflows[PROCESS_COUNTERS + PROCESS_FIXED + PROCESS_TAGGED];
    uint64_t tags; /* that IBS made; its overflows are those that were read, */
    uint64_t cleared;    /* and these never were */
    uint64_t interrupts; /* NMIs that counters made */
    uint64_t ticks;      /* of the watchdog's that Xen has seen */
    uint64_t starved; /* NMIs that Xen's watchdog saw, and were not its own */
    uint64_t writes;  /* that were not tried */
};

/* All pCPUs get counters of this family; process_reset() removes them. */
void process_pmu_reset(enum process_pmu_family family);
struct process_pmu *process_pmu(unsigned int pcpu);
enum process_pmu_family process_pmu_family(void);

/* The event happens n times on pcpu: 0xEE in the select register, and for a
 * fixed counter 0x100 + its number.  Where a counter overflows and its
 * interrupt is not masked, an NMI is on its way. */
void process_count(unsigned int pcpu, uint32_t event, uint64_t n);

/* In process_count(), what units of IBS count. */
#define PROCESS_FETCHES 0x200u
#define PROCESS_OPS     0x201u /* cycles, or ops */

/* Xen's watchdog has counter 0, which overflows after so many 0x76. */
void process_pmu_watchdog(uint64_t period);

/* An NMI of nobody's is on its way. */
void process_pmu_stray(unsigned int pcpu);
/* The pCPU has lost its registers: a resume from S3. */
void process_pmu_power(unsigned int pcpu);

/* Before the nth access to a register from now on, event happens n times there:
 * an NMI between any two instructions that matter.  0: never. */
void process_pmu_count_at(uint64_t access, uint32_t event, uint64_t n);

#endif
