/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that a session has left behind: a pCPU that is offline at the stop
 * cannot clear its own, and has them when it is back.  They would make NMIs
 * that nobody asked for, and look like somebody else's.
 *
 * What does not fit is left, and then is somebody else's.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_LEFT_H
#define XENOPROF_HYPERVISOR_PMU_LEFT_H

#include "pmu-found.h"

#define PMU_LEFT_MAX 64u

/* Remembers the counters of a session on a pCPU, and what its registers were
 * before.  One caller at a time, while no session counts. */
void pmu_left_note(unsigned int pcpu, const struct pmu *pmu,
                   const struct pmu_here *here);

/* Clears those of this pCPU that are as they were left, and has their registers
 * be as they were before that. [call] */
void pmu_left_clear(const struct pmu_family *family);

/* The module is unloaded: they stay. [command] */
void pmu_left_forget(void);

#endif
