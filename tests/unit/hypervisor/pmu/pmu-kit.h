/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session by events on a host with a software PMU, and the sums that must
 * hold: each overflow is a sample, a loss, or was missed.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_PMU_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_PMU_KIT_H

#include "hypervisor/pmu/pmu.h"
#include "tests/host/process-pmu.h"
#include "tests/unit/hypervisor/core-kit.h"

#define PMU_CYCLES_AMD 0x76u
#define PMU_MISSES     0x2eu

/* A host of so many pCPUs with counters of this family, each with a vCPU of
 * domain 5 on it. */
void pmu_host(enum process_pmu_family family, unsigned int pcpus);
/* Reserves a session by events there. */
void pmu_reserve(void);

const char *pmu_family_name(enum process_pmu_family family);
/* What the module keeps for a pCPU. */
struct pmu_here *pmu_here(unsigned int pcpu);

/* Returns the overflows of all counters but the watchdog's and others', of all
 * pCPUs. */
uint64_t pmu_overflows(void);
/* Returns NMIs that reached Xen, and were not the watchdog's. */
uint64_t pmu_leaked(void);
/* Stops, and checks that every overflow is accounted for, that no NMI leaked
 * but so many strays, and that each counter is zero. */
void pmu_stop_and_check(uint64_t strays);
/* Checks that no counter of ours counts, and none has a value. */
void pmu_check_silent(void);

#endif
