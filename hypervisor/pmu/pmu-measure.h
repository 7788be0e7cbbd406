/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long each event was counted, of the time that its pCPU worked: sets take
 * turns, and a counter that came too fast, or that somebody else has changed,
 * stands still until the next tick.
 *
 * COUNTED records go to the ring of the pCPU once a second.  One that finds no
 * room is dropped, and its time is in the next.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_MEASURE_H
#define XENOPROF_HYPERVISOR_PMU_MEASURE_H

#include "hypervisor/session.h"
#include "pmu-state.h"

/* A tick of this pCPU has found what counts, and changed nothing yet: its time
 * since the last tick is that of the events that do.  now is port_time().
 * [soft] */
void pmu_measure(const struct session *session, struct pcpu *pcpu,
                 uint64_t now);

/* Says what was not said yet, of all pCPUs; nobody else writes to rings.
 * [command] */
void pmu_measure_finish(const struct session *session, uint64_t now);

#endif
