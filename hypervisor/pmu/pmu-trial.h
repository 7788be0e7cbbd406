/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First writes.  A register that can be read need not take what is written: of
 * a processor that differs from its CPUID, or a host below that has its own
 * mind.  In an NMI such a write would stop the host, so each register gets what
 * an NMI may write to it in a call before that, where a fault can be caught.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_TRIAL_H
#define XENOPROF_HYPERVISOR_PMU_TRIAL_H

#include "pmu-state.h"

/* A write that was not taken. */
struct pmu_refused {
    uint32_t msr; /* 0: none */
    uint32_t pcpu;
    uint64_t value;
    bool faults; /* else it was not kept */
};

/* Tries all writes to the counters of all sets, none of which counts, on this
 * pCPU; afterwards registers are as before, and counters 0.  Returns true, or
 * false, and fills *ret in if nobody else has. [call] */
bool pmu_trial(const struct pmu *pmu, struct pmu_refused *ret);

/* Returns whether a counter, which does not count, keeps what is written to it;
 * then it is 0.  Some that CPUID shows are not ours to have: a processor that
 * can abort its transactions (TSX_FORCE_ABORT) takes one away. [call] */
bool pmu_trial_keeps(const struct pmu_family *family, uint32_t counter);

#endif
